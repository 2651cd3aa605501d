import { millsToUnits, shareOf } from '../../kernel/mills.ts'
import { type Order, offerIdOf } from '../order.ts'
import type { MarketASettings } from './settings.ts'

/** The number under which market A answers a purchase. */
export function itemIdOf(order: Order): string {
  return String(11_000_000_000 + order.seq)
}

/** The seller has five minutes to send the offer, says the answer; the sandbox's take seconds. */
const SEND_WINDOW_SECONDS = 300

/**
 * An order as the look-ups show it. The types wander from order to order, as they do at the real
 * market: numbers as strings, `trade_id` 0, "0" or null for none, `refund` absent or false.
 * Stage 5 clears what earlier stages have shown, so a reader has to remember it.
 */
export function viewOrder(order: Order, settings: MarketASettings): Record<string, unknown> {
  const { progress, listing, seq } = order
  const number = seq % 2 === 0 ? (value: number) => value : (value: number) => String(value)
  const isEnded = stageOf(order) === 5
  const isOffered = progress.offeredAtMs !== null && !isEnded
  const offerId = openOfferOf(order)
  const timeSeconds = Math.floor(order.placedAtMs / 1000)
  return {
    item_id: itemIdOf(order),
    market_hash_name: listing.asset.item.marketHashName,
    classid: listing.asset.classId,
    instance: listing.asset.instanceId,
    time: number(timeSeconds),
    settlement: number(isEnded ? 0 : upToSeconds(progress.settlesAtMs)),
    send_until: number(timeSeconds + SEND_WINDOW_SECONDS),
    receive_until: number(isOffered ? upToSeconds(progress.offerExpiresAtMs) : 0),
    stage: number(stageOf(order)),
    causer: causerOf(order),
    cancellation_reason: isEnded ? reasonOf(order) : null,
    paid: millsToUnits(order.paidMills),
    currency: 'USD',
    for: String(order.buyer.partner),
    trade_id: offerId ?? [0, '0', null][seq % 3],
    bot_id: null,
    assetid: listing.assetId,
    ...refundOf(order, settings),
  }
}

/** The number of the offer goes back to none once it is accepted, and with the end of the order. */
export function openOfferOf(order: Order): string | null {
  const { offeredAtMs, acceptedAtMs } = order.progress
  return offeredAtMs !== null && acceptedAtMs === null && stageOf(order) !== 5
    ? offerIdOf(order)
    : null
}

/** A row of `history`: amounts here are in thousandths, unlike the look-ups' whole units. */
export function viewHistoryRow(order: Order, settings: MarketASettings): Record<string, unknown> {
  const view = viewOrder(order, settings)
  return {
    item_id: view.item_id,
    market_hash_name: view.market_hash_name,
    time: String(view.time),
    event: 'buy',
    stage: String(view.stage),
    for: view.for,
    custom_id: order.customId,
    paid: String(order.paidMills),
    received: null,
    currency: 'USD',
    causer: view.causer,
    settlement: view.settlement,
    ...refundOf(order, settings),
  }
}

function stageOf({ progress }: Order): 1 | 2 | 5 {
  if (progress.stage === 'released') return 2
  return progress.endedAtMs === null ? 1 : 5
}

function causerOf(order: Order): 'buyer' | 'seller' | null {
  const { progress, seq } = order
  if (stageOf(order) !== 5) return null
  // When the seller never sent, the market names no causer in half of the cases.
  if (progress.stage === 'failed' && progress.offeredAtMs === null && seq % 2 === 0) return null
  return progress.endedBy
}

function reasonOf({ progress }: Order): string | null {
  if (progress.stage === 'canceled') return 'Cancelled by the buyer before sending'
  if (progress.stage === 'failed') {
    return progress.offeredAtMs === null
      ? 'Seller did not send the item'
      : 'Seller cancelled the trade'
  }
  return progress.stage === 'reversed' ? 'Trade was reversed' : null
}

/** The part of the price that is withheld, and for whom; only after a reversal by the buyer. */
function refundOf(order: Order, settings: MarketASettings): Record<string, unknown> {
  const { progress, paidMills, seq } = order
  if (progress.stage !== 'reversed' || progress.endedBy !== 'buyer') {
    return seq % 2 === 0 ? {} : { refund: false }
  }
  const part = (percent: number, index: number) => ({
    amount: millsToUnits(shareOf(paidMills, percent)),
    currency: 'USD',
    refund_id: String(7_000_000_000 + seq * 2 + index),
  })
  return {
    refund: {
      seller: part(settings.keptForSellerPercent, 0),
      market: part(settings.keptForMarketPercent, 1),
    },
  }
}

/** Rounded up: the market never says that a hold is over before it is. */
function upToSeconds(timeMs: number | null): number {
  return timeMs === null ? 0 : Math.ceil(timeMs / 1000)
}
