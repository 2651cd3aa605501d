import type { MarketId } from '../dataset/types.ts'
import type { Party, PartyContext, Protocol } from '../party/party.ts'
import { createAccounts } from './accounts.ts'
import { type MarketHandle, serveMarketControls, viewMarket } from './controls.ts'
import { createMarketFaults, MARKET_IDS } from './faults.ts'
import { createMarketA } from './market-a/index.ts'
import { createMarketB } from './market-b/index.ts'
import type { Order, OrderTerms } from './order.ts'
import { serveOrderControls } from './order-controls.ts'
import { createOrders, type Orders } from './orders.ts'
import { type MarketsSettings, readMarketsSettings } from './settings.ts'

/** Both item markets over one order engine; the platform delivers what the orders say. */
export function createMarkets(context: PartyContext): {
  readonly party: Party
  readonly orders: Orders
} {
  const { clock, seed, store, keeper, switches } = context
  const settings = readMarketsSettings(context.environment)
  const accounts = createAccounts(
    { market_a: settings.marketAKeys, market_b: settings.marketBKeys },
    store,
  )
  const faults = createMarketFaults(store, clock)
  const terms = termsOf(settings, context.holdMs)
  const orders = createOrders({ clock, seed, store, keeper, accounts, terms })
  const shared = { ...context, orders, accounts, faults }
  const marketA = createMarketA({
    ...shared,
    settings: settings.marketA,
    callsPerSecond: settings.marketACallsPerSecond,
  })
  const marketB = createMarketB({
    ...shared,
    settings: settings.marketB,
    callsPerMinute: settings.marketBCallsPerMinute,
  })
  const markets: Readonly<Record<MarketId, MarketHandle>> = { market_a: marketA, market_b: marketB }
  const protocols: readonly Protocol[] = [
    { prefix: '/market-a', switchId: 'market_a', routes: marketA.routes, socket: marketA.socket },
    { prefix: '/market-b', switchId: 'market_b', routes: marketB.routes, socket: marketB.socket },
  ]
  const controls = { keeper, switches, accounts, faults, markets }

  const party: Party = {
    protocols,
    controls(app) {
      serveMarketControls(app, controls)
      serveOrderControls(app, { orders, clock })
    },
    state: () => ({
      markets: Object.fromEntries(
        MARKET_IDS.map((market) => [
          market,
          { ...viewMarket(market, controls), orders: countByStage(orders.index.all(), market) },
        ]),
      ),
    }),
    console: [
      'markets/console/cards.mjs',
      'markets/console/orders.mjs',
      'markets/console/listings.mjs',
    ],
    agenda: orders,
    close() {
      marketA.close()
      marketB.close()
    },
  }
  return { party, orders }
}

const termsOf = (
  { marketA, marketB }: MarketsSettings,
  holdMs: number,
): Readonly<Record<MarketId, OrderTerms>> => ({
  market_a: {
    holdMs,
    keptOnBuyerReversalPercents: [marketA.keptForSellerPercent, marketA.keptForMarketPercent],
  },
  market_b: { holdMs, keptOnBuyerReversalPercents: [marketB.keptOnBuyerReversalPercent] },
})

function countByStage(orders: Iterable<Order>, market: MarketId): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const order of orders) {
    if (order.market !== market) continue
    const { stage } = order.progress
    counts[stage] = (counts[stage] ?? 0) + 1
  }
  return counts
}
