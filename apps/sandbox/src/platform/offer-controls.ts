import type { FastifyInstance } from 'fastify'
import { ControlFault, readBody } from '../control/body.ts'
import { integer, one, type Query } from '../http/query.ts'
import { millsToDecimal } from '../kernel/mills.ts'
import { type Order, offerIdOf, type Side, type Stage, seqOfOfferId } from '../markets/order.ts'
import type { Orders } from '../markets/orders.ts'
import {
  type BotOffer,
  type BotOfferStage,
  botOfferIdOf,
  type Move,
  rollbackTradeIdOf,
  tradeIdOf,
} from './bots/offer.ts'
import type { BotOffers } from './bots/offers.ts'

const DEFAULT_LIMIT = 100
const MOST_LISTED = 20_000

/**
 * The platform's trade offers: those of the markets' sellers, which are orders from the moment the
 * seller has made one, and those of the broker's bots.
 */
export function serveOfferControls(
  app: FastifyInstance,
  { orders, botOffers }: { readonly orders: Orders; readonly botOffers: BotOffers },
): void {
  /** By `state`, with the id of each */
  app.get('/offers', (request) => {
    const query = request.query as Query
    const state = one(query, 'state')
    const limit = integer(query, 'limit') ?? DEFAULT_LIMIT
    if (limit < 1 || limit > MOST_LISTED) {
      throw new ControlFault(400, `limit must be a number from 1 to ${MOST_LISTED}.`)
    }
    const items: Record<string, unknown>[] = []
    for (const offer of botOffers.all()) {
      if (items.length >= limit) break
      if (state === undefined || state === stateOfBotOffer(offer)) items.push(viewBotOffer(offer))
    }
    for (const order of orders.index.all()) {
      if (items.length >= limit) break
      if (offerIdOf(order) === null) continue
      if (state === undefined || state === stateOf(order)) items.push(viewOffer(order))
    }
    return { items }
  })

  /** One offer */
  app.get('/offers/:offerId', (request) => {
    const botOffer = botOffers.find(idOf(request.params))
    if (botOffer !== undefined) return viewBotOffer(botOffer)
    return viewOffer(readOffer(request.params, orders))
  })

  const move = (verb: string, to: 'held' | 'declined' | 'expired', by: Side): void => {
    /** Answers for the other side: `accept`, `decline`, `expire` */
    app.post(`/offers/:offerId/${verb}`, (request) => {
      const botOffer = botOffers.find(idOf(request.params))
      if (botOffer !== undefined) return moveBotOffer(botOffer, { verb, to }, botOffers)
      const order = readOffer(request.params, orders)
      return moveOffer(order, { verb, to, by }, orders)
    })
  }
  move('accept', 'held', 'buyer')
  move('decline', 'declined', 'buyer')
  move('expire', 'expired', 'buyer')

  /** Reverses the trade in its hold; `by`: `user`, `supplier` */
  app.post('/offers/:offerId/revert', (request) => {
    const botOffer = botOffers.find(idOf(request.params))
    if (botOffer !== undefined) {
      return moveBotOffer(botOffer, { verb: 'revert', to: 'reversed' }, botOffers)
    }
    const order = readOffer(request.params, orders)
    const { by } = readBody(request.body, ['by'])
    if (by !== 'user' && by !== 'supplier') {
      throw new ControlFault(400, 'by must be "user" or "supplier".')
    }
    const side: Side = by === 'user' ? 'buyer' : 'seller'
    return moveOffer(order, { verb: 'revert', to: 'reversed', by: side }, orders)
  })
}

function moveOffer(
  order: Order,
  { verb, to, by }: { readonly verb: string; readonly to: Stage; readonly by: Side },
  orders: Orders,
): Record<string, unknown> {
  const moved = orders.move(order, to, by)
  if (moved !== null) return viewOffer(moved)
  throw new ControlFault(
    409,
    `Offer ${offerIdOf(order)} is ${stateOf(order)}: it cannot be moved by "${verb}".`,
  )
}

const idOf = (params: unknown): string => (params as { offerId: string }).offerId

function moveBotOffer(
  offer: BotOffer,
  { verb, to }: { readonly verb: string; readonly to: BotOfferStage },
  botOffers: BotOffers,
): Record<string, unknown> {
  const moved = botOffers.move(offer, to, to === 'expired' ? null : 'partner')
  if (moved !== null) return viewBotOffer(moved)
  throw new ControlFault(
    409,
    `Offer ${botOfferIdOf(offer)} is ${stateOfBotOffer(offer)}: it cannot be moved by "${verb}".`,
  )
}

function readOffer(params: unknown, orders: Orders): Order {
  const offerId = idOf(params)
  const order = orders.index.bySeq(seqOfOfferId(offerId) ?? 0)
  if (order === undefined || offerIdOf(order) === null) {
    throw new ControlFault(404, `There is no offer ${offerId}.`)
  }
  return order
}

/** The state as the platform's own list of offers names it. */
function stateOf({ progress }: Order): string {
  switch (progress.stage) {
    case 'confirming':
      return 'needs_confirmation'
    case 'offered':
      return 'active'
    case 'held':
      return 'accepted'
    case 'released':
      return 'settled'
    case 'failed':
      return 'canceled'
    default:
      return progress.stage
  }
}

function viewOffer(order: Order): Record<string, unknown> {
  const { progress, buyer, listing } = order
  return {
    offerId: offerIdOf(order),
    state: stateOf(order),
    market: order.market,
    customId: order.customId,
    listingId: listing.id,
    marketHashName: listing.asset.item.marketHashName,
    icon: listing.asset.item.iconUrl,
    price: millsToDecimal(order.paidMills),
    refund: millsToDecimal(progress.refundMills),
    partner: buyer.partner,
    token: buyer.token,
    platformId: buyer.platformId,
    sellerId: listing.sellerId,
    assetId: progress.returnedAssetId ?? progress.deliveredAssetId ?? listing.assetId,
    offeredAt: isoOrNull(progress.offeredAtMs),
    expiresAt: isoOrNull(progress.offerExpiresAtMs),
    acceptedAt: isoOrNull(progress.acceptedAtMs),
    settlesAt: isoOrNull(progress.settlesAtMs),
    endedAt: isoOrNull(progress.endedAtMs),
    endedBy: progress.endedBy,
  }
}

function stateOfBotOffer({ progress }: BotOffer): string {
  switch (progress.stage) {
    case 'confirming':
      return 'needs_confirmation'
    case 'held':
      return 'accepted'
    case 'released':
      return 'settled'
    default:
      return progress.stage
  }
}

function viewBotOffer(offer: BotOffer): Record<string, unknown> {
  const { progress } = offer
  const items = ({ assetId, asset, newAssetId, returnedAssetId }: Move): object => ({
    assetId,
    marketHashName: asset.item.marketHashName,
    icon: asset.item.iconUrl,
    newAssetId: progress.acceptedAtMs === null ? null : newAssetId,
    returnedAssetId: progress.stage === 'reversed' ? returnedAssetId : null,
  })
  return {
    offerId: botOfferIdOf(offer),
    state: stateOfBotOffer(offer),
    market: null,
    customId: null,
    botId: offer.botId,
    message: offer.message,
    partner: offer.partner,
    token: offer.token,
    platformId: offer.partnerId,
    tradeId: tradeIdOf(offer),
    rollbackTradeId: rollbackTradeIdOf(offer),
    items: [...offer.take, ...offer.give].map(items),
    give: offer.give.map(items),
    take: offer.take.map(items),
    offeredAt: isoOrNull(progress.sentAtMs),
    expiresAt: isoOrNull(progress.expiresAtMs),
    acceptedAt: isoOrNull(progress.acceptedAtMs),
    settlesAt: isoOrNull(progress.settlesAtMs),
    endedAt: isoOrNull(progress.endedAtMs),
    endedBy: progress.endedBy,
  }
}

function isoOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString()
}
