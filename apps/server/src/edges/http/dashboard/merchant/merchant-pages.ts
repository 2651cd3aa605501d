// What a merchant's people read and do, put together from the merchant interface's operations and the reads
// that only pages have.
import {
  dashboardRoutes,
  type FeesResponse,
  type MerchantFees,
  type TradeListResponse,
  type WsTokenResponse,
} from '@tradepost/contract'
import { getMerchant, readNamesWithin } from '#identity'
import { changeFees } from '#operations'
import { listView } from '#wire/dashboard/merchant'
import type { OperationRequest, RouteShape } from '../../shared/operation.ts'
import type { Caller } from '../../shared/principal.ts'
import { createDashboardLedger } from '../ledger-page.ts'
import { type DashboardOperations, type LoggedIn, operation } from '../operation.ts'
import { asMerchant, type MerchantReads, merchantCaller } from './as-merchant.ts'
import { createAuditOperation } from './audit.ts'
import { createMarketOrderPages, type MarketOrderPagesDeps } from './market-orders.ts'
import { createSearchOperation } from './search.ts'
import { createSubUserPages, type SubUserPagesDeps } from './sub-users.ts'
import { createTradePageOperation } from './trade-page.ts'

export function createMerchantPages(
  deps: SubUserPagesDeps & MarketOrderPagesDeps & { readonly reads: MerchantReads },
): Pick<
  DashboardOperations,
  | keyof ReturnType<typeof createSubUserPages>
  | keyof ReturnType<typeof createMarketOrderPages>
  | 'listTrades'
  | 'getTradePage'
  | 'listWallets'
  | 'listLedger'
  | 'getFees'
  | 'setFees'
  | 'getLimits'
  | 'listEvents'
  | 'getEvent'
  | 'searchLiveMarket'
  | 'getLiveItem'
  | 'getLiveItemHistory'
  | 'getLiveMarketToken'
  | 'listLiveListings'
  | 'listAudit'
  | 'searchIds'
> {
  const { db, reads } = deps
  const readLedgerPage = createDashboardLedger(deps)
  const readFees = async (request: FeesRequest, caller: Caller): Promise<MerchantFees> => {
    const [answer, { fees }] = await Promise.all([
      reads.getMerchantFees.handle({
        ...request,
        body: undefined,
        caller,
      }) as Promise<FeesResponse>,
      getMerchant(db, caller.tenant.id),
    ])
    return { ...answer, feeBps: fees.feeBps }
  }
  return {
    getTradePage: createTradePageOperation(deps),
    listAudit: createAuditOperation(deps),
    searchIds: createSearchOperation(deps),
    listTrades: operation(dashboardRoutes.listTrades, async (request) => {
      const caller = await merchantCaller(deps, request.caller)
      const { trades, nextCursor } = (await reads.listMerchantTrades.handle({
        ...(request as unknown as OperationRequest<RouteShape, never>),
        caller,
      })) as TradeListResponse
      const { id } = caller.tenant
      const users = trades.map(({ userId }) => userId).filter((userId) => userId !== id)
      const names = await readNamesWithin(db, id, users)
      const items = trades.map((trade) => ({
        ...trade,
        userName: names.get(trade.userId) ?? null,
      }))
      return listView({ items, nextCursor })
    }),
    listEvents: operation(dashboardRoutes.listEvents, async (request) => {
      const answer = (await reads.listMerchantEvents.handle({
        ...(request as unknown as OperationRequest<RouteShape, never>),
        caller: await merchantCaller(deps, request.caller),
      })) as { items: never[]; nextCursor: string | null }
      return listView(answer)
    }),
    listWallets: asMerchant(deps, dashboardRoutes.listWallets, reads.listMerchantWallets),
    listLedger: operation(dashboardRoutes.listLedger, async ({ caller, query }) => {
      const { id } = (await merchantCaller(deps, caller)).tenant
      return readLedgerPage(id, { ownerId: id, kind: query.walletType ?? 'spot' }, query)
    }),
    getFees: operation(dashboardRoutes.getFees, async (request) =>
      readFees(request, await merchantCaller(deps, request.caller)),
    ),
    setFees: operation(dashboardRoutes.setFees, async (request) => {
      const caller = await merchantCaller(deps, request.caller)
      const { buyFeeBps, sellFeeBps } = request.body
      await changeFees(deps, request.caller.actor, {
        ...{ accountId: caller.tenant.id, fees: { buyFeeBps, sellFeeBps } },
      })
      return readFees(request, caller)
    }),
    getLimits: asMerchant(deps, dashboardRoutes.getLimits, reads.getMerchantLimits),
    getEvent: asMerchant(deps, dashboardRoutes.getEvent, reads.getMerchantEvent),
    searchLiveMarket: asMerchant(deps, dashboardRoutes.searchLiveMarket, reads.searchMarket),
    getLiveItem: asMerchant(deps, dashboardRoutes.getLiveItem, reads.getItem),
    getLiveItemHistory: asMerchant(deps, dashboardRoutes.getLiveItemHistory, reads.getItemHistory),
    getLiveMarketToken: operation(
      dashboardRoutes.getLiveMarketToken,
      async (request) =>
        (await reads.issueWsToken.handle({
          ...(request as unknown as OperationRequest<RouteShape, LoggedIn>),
          caller: await merchantCaller(deps, request.caller),
          body: { scopes: ['market'] },
        })) as WsTokenResponse,
    ),
    listLiveListings: asMerchant(deps, dashboardRoutes.listLiveListings, reads.listItemListings),
    ...createSubUserPages(deps),
    ...createMarketOrderPages(deps),
  }
}

type FeesRequest = Omit<OperationRequest<RouteShape, LoggedIn>, 'body'>
