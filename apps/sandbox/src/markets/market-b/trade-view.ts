import { throwUuid } from '../../kernel/dice.ts'
import { shareOf } from '../../kernel/mills.ts'
import { type Order, offerIdOf, type PenaltiesForm } from '../order.ts'
import { sellerName } from './listing-view.ts'
import type { MarketBNames } from './names.ts'
import type { RefusedRow } from './refused-rows.ts'
import type { MarketBSettings } from './settings.ts'

/** The number under which market B answers a purchase. */
export function tradeIdOf(order: Order): number {
  return FIRST_TRADE_ID + order.seq
}

export function seqOfTradeId(tradeId: string): number | null {
  return /^\d{1,12}$/.test(tradeId) ? Number(tradeId) - FIRST_TRADE_ID : null
}

const FIRST_TRADE_ID = 30_000_000

/** Until an offer is made the row says when the market will give up on the seller at the latest. */
const SEND_WINDOW_MS = 900_000

type Row = Record<string, unknown>

/** An order as `check-many-*` show it. */
export function viewTrade(
  order: Order,
  { names, settings }: { readonly names: MarketBNames; readonly settings: MarketBSettings },
): Row {
  const { progress, listing, buyer } = order
  const isReleased = progress.stage === 'released'
  return {
    id: tradeIdOf(order),
    name: names.nameOf(listing.asset.item),
    status: statusOf(order),
    project_id: order.customId,
    custom_id: throwUuid('trade', order.seq),
    trade_id: offerIdOf(order),
    done: progress.endedAtMs !== null,
    for_steamid64: buyer.platformId,
    reason: reasonOf(order),
    release_date:
      progress.settlesAtMs === null ? null : new Date(progress.settlesAtMs).toISOString(),
    is_released: isReleased,
    seller_name: sellerName(listing),
    price: order.paidMills,
    send_until: seconds(sendUntilMs(order)),
    last_updated: seconds(progress.updatedAtMs),
    counter: String(order.seq),
    ...(progress.acceptedAtMs === null ? {} : { escrow_status: isReleased ? 'released' : 'held' }),
    ...penaltiesOf(order, settings),
  }
}

/** A refused attempt: it never was a purchase, yet it is listed under the project id. */
export function viewRefusedRow(row: RefusedRow): Row {
  return {
    id: row.id,
    name: row.name,
    status: 6,
    project_id: row.customId,
    custom_id: throwUuid('refused', row.id),
    trade_id: null,
    done: true,
    for_steamid64: row.platformId,
    reason: 'Item price has increased or item is no longer available',
    release_date: null,
    is_released: false,
    seller_name: '',
    price: row.priceMills,
    send_until: seconds(row.atMs),
    last_updated: seconds(row.atMs),
    counter: String(row.id),
  }
}

/** A row of `history`. */
export function viewHistoryRow(order: Order, names: MarketBNames): Row {
  return {
    id: tradeIdOf(order),
    item_id: order.listing.id,
    trade_id: offerIdOf(order),
    token: order.buyer.token,
    partner: order.buyer.partner,
    created: new Date(order.placedAtMs).toISOString(),
    send_until: seconds(sendUntilMs(order)),
    reason: reasonOf(order),
    price: order.paidMills,
    name: names.nameOf(order.listing.asset.item),
    status: statusOf(order),
  }
}

/** A row of `my-history`: what the account gave and got, without a word of who received the item. */
export function viewMyHistoryRow(order: Order, names: MarketBNames): Row {
  return {
    id: tradeIdOf(order),
    item_id: order.listing.id,
    created: new Date(order.placedAtMs).toISOString(),
    date: new Date(order.progress.updatedAtMs).toISOString(),
    give_amount: order.paidMills,
    price: order.paidMills,
    game: 'csgo',
    name: names.nameOf(order.listing.asset.item),
    status: statusOf(order),
    action: 'buy',
  }
}

/** Of two released orders one shows status 5, the other keeps 4 and says `is_released`. */
export function statusOf({ progress, seq }: Order): 0 | 2 | 4 | 5 | 6 {
  switch (progress.stage) {
    case 'placed':
      return 0
    case 'confirming':
      return 2
    case 'offered':
    case 'held':
      return 4
    case 'released':
      return seq % 2 === 0 ? 5 : 4
    default:
      return 6
  }
}

function reasonOf({ progress, seq }: Order): string | null {
  switch (progress.stage) {
    case 'declined':
      return seq % 2 === 0 ? 'declined' : 'Buyer failed to accept'
    case 'expired':
      return 'Buyer failed to accept'
    case 'canceled':
      return 'Canceled by the buyer'
    case 'failed':
      return progress.offeredAtMs === null ? 'seller failed to send' : 'Seller failed to accept'
    case 'reversed':
      return progress.endedBy === 'seller' ? 'Trade was reversed by the seller' : null
    default:
      return null
  }
}

/**
 * Present only when the buyer reversed: what that cost. A script shows other forms, also after a reversal
 * by the seller.
 */
function penaltiesOf({ progress, paidMills, penalties }: Order, settings: MarketBSettings): Row {
  const form = penalties ?? (progress.endedBy === 'buyer' ? 'buyer' : 'none')
  if (progress.stage !== 'reversed' || form === 'none') return {}
  const kept = shareOf(paidMills, settings.keptOnBuyerReversalPercent)
  return { penalties: formsOf(kept)[form] }
}

const formsOf = (kept: number): Readonly<Record<Exclude<PenaltiesForm, 'none'>, unknown>> => ({
  buyer: { buyer: kept },
  seller: { seller: kept },
  both: { buyer: kept, seller: kept },
  number: kept,
  list: [kept],
  text: 'buyer',
})

export function sendUntilMs({ progress, placedAtMs }: Order): number {
  return progress.offerExpiresAtMs ?? placedAtMs + SEND_WINDOW_MS
}

function seconds(timeMs: number): string {
  return String(Math.floor(timeMs / 1000))
}
