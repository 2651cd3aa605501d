// SQL of the export of a wallet's ledger: the rows that its history shows, all of them.
import { isoTime, plainText, type RowsToCopy } from '#infra/database/copy-out'
import { type Queryable, type Statement, sql } from '#infra/database/db'
import type { EntryStatus, EntryType } from './entry.ts'
import { findChain, historyOf } from './store.ts'
import type { WalletKind } from './wallet.ts'

const COLUMNS = `h.journal_id id, ${isoTime('h.created_at')} occurred_at, h.type, case when h.reversed then 'reversed' else 'posted' end status,
     round(case when h.side = 'debit' then -h.amount else h.amount end / 100.0, 2) amount, ${plainText('h.external_ref')} reference,
     h.currency, round(h."after" / 100.0, 2) balance`
const ROWS = historyOf({ accountId: '$1', beforeSeq: '$2', fromSeq: '1' })

/** With the account on the other side of each row; `$8`: the owner. */
export const EXPORT_TRANSFERS = sql(
  'ledger.export_transfers',
  `select ${COLUMNS},
     (select coalesce(nullif(d.owner_id, $8::uuid), c.owner_id) from ledger.posting p
        join ledger.account d on d.id = p.debit_account_id join ledger.account c on c.id = p.credit_account_id
      where p.journal_id = h.journal_id and d.owner_id is not null and c.owner_id is not null limit 1) other_account_id
   from (${ROWS}) h`,
)

/**
 * With the trade of each row; the ledger knows no trades: `tradeIdOf` is the SQL for the trade of a thing
 * within the tenant `$8`. A reversal is about what it reverses.
 */
export const exportLedger = (tradeIdOf: (refId: string, tenantId: string) => string): Statement =>
  sql(
    'ledger.export',
    `select ${COLUMNS}, ${tradeIdOf('coalesce(original.ref_id, own.ref_id)', '$8::uuid')} trade_id
     from (${ROWS}) h join ledger.journal own on own.id = h.journal_id
       left join ledger.journal original on original.id = own.reverses_id
     order by h.seq desc`,
  )

/** What to copy for a wallet; null for an owner without it. */
export async function ledgerExport(
  db: Queryable,
  statement: Statement,
  {
    ownerId,
    kind,
    scopeId,
    filter: { type, status, from, to },
  }: {
    readonly ownerId: string
    readonly kind: WalletKind
    /** `$8` of the statement. */
    readonly scopeId: string
    readonly filter: LedgerExportFilter
  },
): Promise<RowsToCopy | null> {
  const chain = await findChain(db, { ownerId, kind })
  if (chain === null) return null
  const { accountId, lastSeq } = chain
  const reversed = status === null ? null : String(status === 'reversed')
  // The third is the number of rows: all of them.
  return { statement, values: [accountId, lastSeq + 1n, null, type, reversed, from, to, scopeId] }
}

export interface LedgerExportFilter {
  readonly type: EntryType | null
  readonly status: EntryStatus | null
  readonly from: Date | null
  readonly to: Date | null
}
