import type { FastifyInstance } from 'fastify'
import { ControlFault } from '../control/body.ts'
import { integer, one, type Query } from '../http/query.ts'
import type { Clock } from '../kernel/clock.ts'
import { millsToDecimal } from '../kernel/mills.ts'
import { MARKET_IDS } from './faults.ts'
import { type Order, offerIdOf } from './order.ts'
import type { Orders } from './orders.ts'

const DEFAULT_LIMIT = 100
const MOST_LISTED = 20_000

/** Every purchase at the markets from its call on; an offer shows only once the seller has made it. */
export function serveOrderControls(
  app: FastifyInstance,
  { orders, clock }: { readonly orders: Orders; readonly clock: Clock },
): void {
  /** Every purchase, with or without an offer; `market`, `limit` */
  app.get('/orders', (request) => {
    const query = request.query as Query
    const limit = integer(query, 'limit') ?? DEFAULT_LIMIT
    if (limit < 1 || limit > MOST_LISTED) {
      throw new ControlFault(400, `limit must be a number from 1 to ${MOST_LISTED}.`)
    }
    const market = one(query, 'market')
    if (market !== undefined && !MARKET_IDS.some((id) => id === market)) {
      throw new ControlFault(
        404,
        `There is no market "${market}"; there are ${MARKET_IDS.join(', ')}.`,
      )
    }
    const items: Record<string, unknown>[] = []
    for (const order of orders.index.all()) {
      if (items.length >= limit) break
      if (market === undefined || order.market === market)
        items.push(viewOrder(order, orders, clock))
    }
    return { items }
  })
}

function viewOrder(order: Order, { offersShown }: Orders, clock: Clock): Record<string, unknown> {
  const { progress, listing, buyer } = order
  return {
    order: order.seq,
    market: order.market,
    account: order.account,
    customId: order.customId,
    stage: progress.stage,
    offerId: offerIdOf(order),
    isOfferShown: offersShown.has(order.seq),
    listingId: listing.id,
    marketHashName: listing.asset.item.marketHashName,
    icon: listing.asset.item.iconUrl,
    price: millsToDecimal(order.paidMills),
    refund: millsToDecimal(progress.refundMills),
    partner: buyer.partner,
    token: buyer.token,
    platformId: buyer.platformId,
    isHidden: clock.nowMs() < order.hiddenUntilMs,
    placedAt: new Date(order.placedAtMs).toISOString(),
    updatedAt: new Date(progress.updatedAtMs).toISOString(),
    endedBy: progress.endedBy,
  }
}
