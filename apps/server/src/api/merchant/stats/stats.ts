// GET /merchant/stats
import { merchantRoutes } from '@tradepost/contract'
import { readEverySubUser } from '#identity'
import type { Queryable } from '#infra/db'
import type { HeavyReads } from '#infra/heavy-reads'
import type { Currency } from '#kernel/money'
import { readWallets } from '#ledger'
import { statsView, type TradeFigures } from '#wire/merchant/merchant'
import { type MerchantOperations, operation } from '../operation.ts'

export interface StatsDeps {
  readonly heavyReads: HeavyReads
  /**
   * A row for each account of the merchant and each status that its trades of the range are in; money in
   * `currency`, at each trade's own rate.
   */
  tradeFigures(
    db: Queryable,
    merchantId: string,
    range: { from: Date | null; to: Date | null; currency: Currency },
  ): Promise<readonly TradeFigures[]>
}

export const createStatsOperation = ({
  heavyReads,
  tradeFigures,
}: StatsDeps): MerchantOperations['getMerchantStats'] =>
  operation(merchantRoutes.getMerchantStats, async ({ caller, query }) => {
    const { id, currency } = caller.tenant
    const range = {
      from: query.from === undefined ? null : new Date(query.from),
      to: query.to === undefined ? null : new Date(query.to),
      currency,
    }
    return heavyReads.run(id, async (db) => {
      const figures = await tradeFigures(db, id, range)
      const subUsers = await readEverySubUser(db, id)
      const wallets = await readWallets(db, [id, ...subUsers.map((subUser) => subUser.id)])
      return statsView({
        currency,
        figures,
        subUsers,
        wallets: wallets.filter(({ ownerId }) => ownerId === id),
        balances: new Map(wallets.map(({ ownerId, balance }) => [ownerId, balance])),
      })
    })
  })
