// GET /merchant/stats
import { merchantRoutes } from '@tradepost/contract'
import { readEverySubUser } from '#identity'
import type { Db, Queryable } from '#infra/db'
import type { Currency } from '#kernel/money'
import { readWallets } from '#ledger'
import { statsView, type TradeFigures } from '#wire/merchant/merchant'
import { type MerchantOperations, operation } from '../operation.ts'

export interface StatsDeps {
  readonly db: Db
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
  db,
  tradeFigures,
}: StatsDeps): MerchantOperations['getMerchantStats'] =>
  operation(merchantRoutes.getMerchantStats, async ({ caller, query }) => {
    const { id, currency } = caller.tenant
    const range = {
      from: query.from === undefined ? null : new Date(query.from),
      to: query.to === undefined ? null : new Date(query.to),
      currency,
    }
    const [figures, subUsers, wallets] = await Promise.all([
      tradeFigures(db, id, range),
      readEverySubUser(db, id),
      readWallets(db, [id]),
    ])
    const balances = await readWallets(
      db,
      subUsers.map((subUser) => subUser.id),
    )
    return statsView({
      currency,
      figures,
      subUsers,
      wallets,
      balances: new Map(balances.map(({ ownerId, balance }) => [ownerId, balance])),
    })
  })
