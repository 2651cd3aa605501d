// GET /merchant/stats
import { merchantRoutes } from '@tradepost/contract'
import { readNewestSubUsers, readSubUsersById, type SubUser } from '#identity'
import type { Queryable } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { Currency } from '#kernel/money'
import { readWallets } from '#ledger'
import { type AccountFigures, statsView, type TradeTotals } from '#wire/merchant/merchant'
import { type MerchantOperations, operation } from '../operation.ts'

/** Of trades; money in `currency`, at each trade's own rate. */
interface Range {
  readonly from: Date | null
  readonly to: Date | null
  readonly currency: Currency
}

export interface StatsDeps {
  readonly heavyReads: HeavyReads
  /** Of all accounts of the merchant together, and of those that traded, the largest volume first. */
  readFigures(
    db: Queryable,
    merchantId: string,
    range: Range,
    limit: number,
  ): Promise<{
    readonly totals: readonly TradeTotals[]
    readonly accounts: readonly AccountFigures[]
  }>
}

/** The answer is built and written in one piece: more would keep this process from its other callers. */
const MOST_SUB_USERS = 1000

export const createStatsOperation = ({
  heavyReads,
  readFigures,
}: StatsDeps): MerchantOperations['getMerchantStats'] =>
  operation(merchantRoutes.getMerchantStats, async ({ caller, query }) => {
    const { id, currency } = caller.tenant
    const range = {
      from: query.from === undefined ? null : new Date(query.from),
      to: query.to === undefined ? null : new Date(query.to),
      currency,
    }
    return heavyReads.run(id, async (db, staleReads) => {
      // The merchant's own account may be among them.
      const { totals, accounts } = await staleReads((at) =>
        readFigures(at, id, range, MOST_SUB_USERS + 1),
      )
      const subUsers = await readShown(db, id, accounts)
      const wallets = await readWallets(db, [id, ...subUsers.map((subUser) => subUser.id)])
      return statsView({
        ...{ currency, figures: totals, accounts, subUsers },
        wallets: wallets.filter(({ ownerId }) => ownerId === id),
        balances: new Map(wallets.map(({ ownerId, balance }) => [ownerId, balance])),
      })
    })
  })

/** All sub-users, the newest first; of very many those with the largest volume. */
async function readShown(
  db: Queryable,
  merchantId: string,
  accounts: readonly AccountFigures[],
): Promise<readonly SubUser[]> {
  const newest = await readNewestSubUsers(db, merchantId, MOST_SUB_USERS + 1)
  if (newest.length <= MOST_SUB_USERS) return newest
  const ids = accounts.map(({ accountId }) => accountId)
  return (await readSubUsersById(db, merchantId, ids)).slice(0, MOST_SUB_USERS)
}
