// A page of a wallet's ledger as people read it: each row says what it is about, or who has the money now.
import type { LedgerQuery, LedgerRows, LedgerSubject, TransactionItem } from '@tradepost/contract'
import { readDeposits } from '#deposits'
import { readNamesWithin } from '#identity'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { readJournalRefs } from '#ledger'
import { readWithdrawals } from '#payouts'
import { readTradesOfRefs } from '#trades'
import { createLedgerPages, type LedgerWallet } from '../shared/ledger-page.ts'
import { depositName } from './audit-names.ts'

export interface LedgerPagesDeps {
  readonly db: Db
  readonly heavyReads: HeavyReads
}

export function createDashboardLedger(
  deps: LedgerPagesDeps,
): (tenantId: string, wallet: LedgerWallet, query: LedgerQuery) => Promise<LedgerRows> {
  const readPage = createLedgerPages(deps)
  return async (tenantId, wallet, query) => {
    const { items, nextCursor } = await readPage(tenantId, wallet, query)
    const subjectOf = await readSubjects(deps.db, { tenantId, ownerId: wallet.ownerId, items })
    return { items: items.map((item) => ({ ...item, subject: subjectOf(item.id) })), nextCursor }
  }
}

/** Of all rows at once, each kind of subject by one statement; what is not of the tenant is left out. */
async function readSubjects(
  db: Db,
  {
    tenantId,
    ownerId,
    items,
  }: {
    readonly tenantId: string
    readonly ownerId: string
    readonly items: readonly Pick<TransactionItem, 'id'>[]
  },
): Promise<(journalId: string) => LedgerSubject | null> {
  const journals = items.map(({ id }) => id)
  const refs = await readJournalRefs(db, ownerId, journals)
  const refIds = [...refs.values()].flatMap(({ refId }) => refId ?? [])
  const counterparts = [...refs.values()].flatMap(({ counterpartId }) => counterpartId ?? [])
  const [trades, deposits, withdrawals, names] = await Promise.all([
    readTradesOfRefs(db, tenantId, refIds),
    readDeposits(db, refIds),
    readWithdrawals(db, refIds),
    readNamesWithin(db, tenantId, counterparts),
  ])
  const isOwn = (one: { readonly tenantId: string }): boolean => one.tenantId === tenantId
  const byRef = new Map<string, LedgerSubject>([
    ...[...trades].map(
      ([ref, { id, itemNames }]) => [ref, { type: 'trade', id, name: itemNames ?? id }] as const,
    ),
    ...deposits
      .filter(isOwn)
      .map((one) => [one.id, { type: 'deposit', id: one.id, name: depositName(one) }] as const),
    ...withdrawals
      .filter(isOwn)
      .map(({ id, externalId }) => [id, { type: 'withdrawal', id, name: externalId }] as const),
  ])
  return (journalId) => {
    const { refId = null, counterpartId = null } = refs.get(journalId) ?? {}
    const name = names.get(counterpartId ?? '')
    const counterpart =
      counterpartId === null || name === undefined
        ? null
        : ({ type: 'account', id: counterpartId, name } as const)
    return byRef.get(refId ?? '') ?? counterpart
  }
}
