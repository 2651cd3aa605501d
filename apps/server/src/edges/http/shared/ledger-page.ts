// A page of a wallet's ledger, as keys and people read it.
import type { LedgerQuery, TransactionHistory } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { type HistoryFilter, history, isNarrowed } from '#ledger'
import { historyView } from '#wire/merchant/ledger'

export type LedgerWallet = Parameters<typeof history>[1]

export type ReadLedgerPage = (
  tenantId: string,
  wallet: LedgerWallet,
  query: LedgerQuery,
) => Promise<TransactionHistory>

/** A filter may walk through many rows: then the read is one of the tenant's heavy ones. */
export const createLedgerPages =
  ({ db, heavyReads }: { readonly db: Db; readonly heavyReads: HeavyReads }): ReadLedgerPage =>
  async (tenantId, wallet, query) => {
    const filter = filterOf(query)
    const read = (from: Db) => history(from, wallet, filter)
    return historyView(await (isNarrowed(filter) ? heavyReads.run(tenantId, read) : read(db)))
  }

const filterOf = (query: LedgerQuery): HistoryFilter => ({
  cursor: query.cursor ?? null,
  limit: query.limit,
  type: query.type ?? null,
  status: query.status ?? null,
  from: query.from === undefined ? null : new Date(query.from),
  to: query.to === undefined ? null : new Date(query.to),
})
