// The trade URLs of the acting account.
import { merchantRoutes } from '@tradepost/contract'
import {
  addTradeUrl,
  makePrimary,
  type ResolveTradeUrl,
  readTradeUrls,
  removeTradeUrl,
} from '#identity'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { tradeUrlView } from '#wire/merchant/trade-url'
import { type MerchantOperations, operation } from '../operation.ts'

export interface TradeUrlsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly resolveTradeUrl: ResolveTradeUrl
}

export const createTradeUrlsOperations = ({
  db,
  clock,
  resolveTradeUrl,
}: TradeUrlsDeps): Pick<
  MerchantOperations,
  'listTradeUrls' | 'createTradeUrl' | 'updateTradeUrl' | 'deleteTradeUrl'
> => ({
  listTradeUrls: operation(merchantRoutes.listTradeUrls, async ({ caller }) =>
    (await readTradeUrls(db, caller.account.id)).map(tradeUrlView),
  ),

  createTradeUrl: operation(merchantRoutes.createTradeUrl, async ({ caller, body }) => {
    const { requestId, account } = caller
    const { id: accountId, tenantId } = account
    const resolved = await resolveTradeUrl(body.url, { requestId, tenantId }, '/url')
    return tradeUrlView(
      await db.transaction((tx) => addTradeUrl(tx, { accountId, resolved, at: clock.now() })),
    )
  }),

  updateTradeUrl: operation(merchantRoutes.updateTradeUrl, async ({ caller, params }) =>
    tradeUrlView(await db.transaction((tx) => makePrimary(tx, caller.account.id, params.id))),
  ),

  deleteTradeUrl: operation(merchantRoutes.deleteTradeUrl, async ({ caller, params }) => {
    const { id } = await db.transaction((tx) => removeTradeUrl(tx, caller.account.id, params.id))
    return { id, deleted: true as const }
  }),
})
