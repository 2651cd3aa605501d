// Market orders of a merchant and its sub-users, for a person: each change with its audit row.
import { dashboardRoutes } from '@tradepost/contract'
import {
  cancelMarketOrder,
  changeMarketOrder,
  findOrderOfTenant,
  listOrders,
  type MarketOrder,
  type PlaceMarketOrder,
  readDepth,
} from '#bidding'
import { getSubUser } from '#identity'
import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { ActName } from '#kernel/act-name'
import { refuse } from '#kernel/refusal'
import { listView } from '#wire/dashboard/merchant'
import { DEPTH_LEVELS, depthView, marketOrderView } from '#wire/merchant/market-order'
import { changeOf, wantedOf } from '../../shared/market-order.ts'
import { audited } from '../audited.ts'
import { type DashboardOperations, type LoggedIn, operation } from '../operation.ts'
import { type AsMerchantDeps, merchantCaller } from './as-merchant.ts'

export interface MarketOrderPagesDeps extends AsMerchantDeps {
  readonly db: Db
  readonly clock: Clock
  /** On the database that is given. */
  placeMarketOrder(db: Db): PlaceMarketOrder
}

export function createMarketOrderPages(
  deps: MarketOrderPagesDeps,
): Pick<
  DashboardOperations,
  | 'listMarketOrders'
  | 'getMarketOrder'
  | 'getItemDepth'
  | 'createMarketOrder'
  | 'changeMarketOrder'
  | 'cancelMarketOrder'
> {
  const { db, clock } = deps
  const read = async (caller: LoggedIn, orderId: string): Promise<MarketOrder> => {
    const { tenant } = await merchantCaller(deps, caller)
    const order = await findOrderOfTenant(db, tenant.id, orderId)
    return order ?? refuse('MARKET_ORDER_NOT_FOUND')
  }
  const change = async (
    caller: LoggedIn,
    {
      orderId,
      act,
      details,
    }: { readonly orderId: string; readonly act: ActName; readonly details: object },
    work: (tx: Tx, order: MarketOrder) => Promise<MarketOrder>,
  ) => {
    const order = await read(caller, orderId)
    const subject = { type: 'market_order', id: orderId }
    const tracked = audited(deps, caller.actor, () => ({ act, subject, details: { ...details } }))
    return marketOrderView(await tracked.transaction((tx) => work(tx, order)))
  }

  return {
    listMarketOrders: operation(dashboardRoutes.listMarketOrders, async ({ caller, query }) => {
      const { id: tenantId } = (await merchantCaller(deps, caller)).tenant
      const { subUserId, status = null, itemId = null, externalId = null } = query
      const accountId =
        subUserId === undefined ? null : (await getSubUser(db, tenantId, subUserId)).id
      const filter = { tenantId, accountId, status, itemId, externalId }
      const page = await listOrders(db, filter, {
        cursor: query.cursor ?? null,
        limit: query.limit,
      })
      return listView({ ...page, items: page.items.map(marketOrderView) })
    }),

    getMarketOrder: operation(dashboardRoutes.getMarketOrder, async ({ caller, params }) =>
      marketOrderView(await read(caller, params.orderId)),
    ),

    getItemDepth: operation(
      dashboardRoutes.getItemDepth,
      async ({ caller, params: { itemId }, query }) => {
        const { account } = await merchantCaller(deps, caller)
        const currency = query.currency ?? account.currency
        const levels = await readDepth(db, { itemId, currency, limit: DEPTH_LEVELS })
        return depthView(currency, levels)
      },
    ),

    createMarketOrder: operation(dashboardRoutes.createMarketOrder, async ({ caller, body }) => {
      const { subUserId = null, ...wanted } = body
      const { tenant } = await merchantCaller(deps, caller)
      const account = await deps.resolveAccount(tenant, subUserId)
      if (account === null) return refuse('USER_NOT_FOUND')
      if (account.status !== 'active') return refuse('ACCOUNT_SUSPENDED')
      const tracked = audited(deps, caller.actor, (placed) => ({
        act: 'market_order.create',
        subject: { type: 'market_order', id: (placed as { readonly id: string }).id },
        details: { ...body },
      }))
      const order = await deps.placeMarketOrder(tracked)(
        {
          ...{
            tenantId: tenant.id,
            accountId: account.id,
            currency: account.currency,
            keyId: null,
          },
          hasPrimaryTradeUrl: account.primaryTradeUrl !== null,
        },
        wantedOf(wanted, caller.requestId),
      )
      return marketOrderView(order)
    }),

    changeMarketOrder: operation(
      dashboardRoutes.changeMarketOrder,
      ({ caller, params: { orderId }, body }) =>
        change(caller, { orderId, act: 'market_order.change', details: body }, (tx, order) =>
          changeMarketOrder(tx, order, changeOf(body), { keyId: null, at: clock.now() }),
        ),
    ),

    cancelMarketOrder: operation(
      dashboardRoutes.cancelMarketOrder,
      ({ caller, params: { orderId } }) =>
        change(caller, { orderId, act: 'market_order.cancel', details: {} }, (tx, order) =>
          cancelMarketOrder(tx, order, clock.now()),
        ),
    ),
  }
}
