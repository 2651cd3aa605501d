// A trade in words: where its money and each item is, what happens next, what a person has to decide.
// The administrator's page and the command line show the same sentences.
import type { MarketId } from '#kernel/market-id'
import { formatMills } from '#kernel/money'
import { CASE_KINDS, type CaseKind } from '#reconciliation'
import { isTerminal, type Trade, type TradeItem } from '#trades'
import type { MarketNow, TradeInspection } from './inspect-trade.ts'
import {
  type ExplainedItem,
  finishOf,
  holdOf,
  moneySentence,
  outcomeOf,
  placingLimitOf,
  timeOf,
} from './sentences.ts'
import { ITEM_PLACES } from './whereabouts.ts'

export interface Explanation {
  readonly money: string
  readonly items: ReadonlyMap<string, ExplainedItem>
  /** Contradictions that a person has to look at, the oldest first. */
  readonly cases: readonly OpenCase[]
}

export interface OpenCase {
  readonly id: string
  readonly kind: string
  readonly meaning: string
}

type Details = Omit<TradeInspection, 'timeline' | 'requestId' | 'postings' | 'attempts'>

/** `nameOf`: what people read for a market. */
export function explainTrade(
  inspected: Details,
  { now, nameOf }: { readonly now: Date; readonly nameOf: (market: MarketId) => string },
): Explanation {
  const details = {
    ...inspected,
    items: inspected.items.map((item) => ({ ...item, market: nameOf(item.market) })),
    markets: inspected.markets.map((market) => ({ ...market, id: nameOf(market.id) })),
  }
  return {
    money: moneySentence(details, HOLDERS),
    items: new Map(
      details.trade.items.map((item) => {
        const place = details.places.get(item.id) ?? 'not_ordered'
        const isOver = place !== 'orphaned' && isTerminal(item.status)
        return [
          item.id,
          { where: ITEM_PLACES[place], next: nextOf(details, item, now), isOver },
        ] as const
      }),
    ),
    cases: details.cases
      .filter(({ state }) => state === 'open')
      .map(({ id, kind }) => ({ id, kind, meaning: meaningOf(kind) })),
  }
}

const meaningOf = (kind: string): string => CASE_KINDS[kind as CaseKind] ?? kind

/** What an account of the ledger means for the trade's money; others are named as they are. */
const HOLDERS: Readonly<Record<string, string>> = {
  escrow: 'held in escrow',
  spot: 'in the wallet',
  supplier_prefund: 'paid to the seller',
  house_revenue: 'service fee',
  earnings: 'the fee of the merchant',
  penalty_income: 'kept as a penalty',
}

function nextOf(details: Details, item: TradeItem, now: Date): string {
  if (details.places.get(item.id) === 'orphaned') {
    return 'Its money went back to the wallet, and what was bought is ours: the case says what to decide.'
  }
  if (isTerminal(item.status)) return endOf(details, item)
  return details.trade.type === 'buy'
    ? nextOfBuy(details, item, now)
    : nextOfSell(details, item, now)
}

/** Money and item have reached their end, but for what a supplier owes us. */
function endOf({ trade, items: bought }: Details, item: TradeItem): string {
  const { status, failure } = item
  const end = outcomeOf(trade, item, failure === null ? status : `${status} with ${failure}`)
  if (item.refund === null) return `${end} ${finishOf(trade)}`
  const own = bought.find(({ id }) => id === item.id)
  const paid = own?.orders.at(-1)?.paidMills ?? null
  const isOwed = paid !== null && item.revertedBy !== 'user'
  return isOwed
    ? `${end} ${own?.market} has to return ${dollarsOf(paid)} to our account there: its statement is compared, and a case is opened if they do not come.`
    : `${end} ${finishOf(trade)}`
}

function nextOfBuy({ trade, items, markets }: Details, item: TradeItem, now: Date): string {
  const bought = items.find(({ id }) => id === item.id)
  if (bought === undefined) return 'No queue has it: see docs/runbooks/item-stuck.md.'
  const market = markets.find(({ id }) => id === bought.market)
  const away = market === undefined ? '' : awayOf(market)
  const order = bought.orders.at(-1)
  const look = `It is looked at next at ${timeOf(bought.dueAt)}.`
  switch (item.status) {
    case 'initiated': {
      if (order?.state === 'placing' || order?.state === 'unknown') {
        return `${bought.market} is asked for order ${order.customId} until it answers clearly; nothing is ordered again. An order that exists is followed, one that does not exist ends the item and gives its price back.${away}`
      }
      return notOrdered(trade, { market, name: bought.market, away }, now)
    }
    case 'pending': {
      const misses = order?.misses ?? 0
      const missing =
        misses > 0 ? ` Its last ${misses} looks did not find the order that it had accepted.` : ''
      return `Its seller has to send the trade offer (order ${order?.orderId ?? 'unknown'} at ${bought.market}). If the seller does not, ${bought.market} ends the order and the whole price goes back. ${look}${missing}${away}`
    }
    case 'active':
      return `The buyer has to accept trade offer ${item.offerId ?? ''} on the platform. Accepted, the hold begins; declined or expired, the price less 2% goes back. ${look}${away}`
    default:
      return `${holdOf(item, now)} We then check again; if nothing was reversed, the item completes, and the seller and the fees are paid. ${look}${away}`
  }
}

function notOrdered(
  trade: Trade,
  {
    market,
    name,
    away,
  }: { readonly market: MarketNow | undefined; readonly name: string; readonly away: string },
  now: Date,
): string {
  if (market?.heldBackSince) {
    return `Purchases at ${name} are held back since ${timeOf(market.heldBackSince)}, until its statement was compared after a restore: see docs/runbooks/placing-gate.md.${away}`
  }
  const limit = placingLimitOf(trade)
  const off = market?.enabled === false ? ` ${name} is switched off for new orders.` : ''
  const closed =
    market?.coverMills === 0n
      ? ` Our account at ${name} is closed: see docs/runbooks/supplier-money.md.`
      : ''
  if (now > limit) {
    return `It should have ended at ${timeOf(limit)}, because no order could be placed: no worker takes it. See docs/runbooks/item-stuck.md.${away}`
  }
  return `A worker orders it at ${name} when its turn comes. If that cannot be until ${timeOf(limit)}, it fails with MARKET_UNAVAILABLE and the whole price goes back.${off}${closed}${away}`
}

function nextOfSell({ trade, sell }: Details, item: TradeItem, now: Date): string {
  const intent = sell?.items.find(({ id }) => id === item.id)?.offerIntentId
  const offer = sell?.offers.find(({ offerIntentId }) => offerIntentId === intent)
  const name = `offer ${item.offerId ?? offer?.offerId ?? ''} of bot ${offer?.botId ?? 'unknown'}`
  switch (item.status) {
    case 'initiated': {
      const limit = placingLimitOf(trade)
      return `It waits for a bot with a free slot. If none has one until ${timeOf(limit)}, it fails with MARKET_UNAVAILABLE; the item stays with the user.`
    }
    case 'pending':
      return offer?.state === 'unknown'
        ? `The answer of the platform is not known. The offers of bot ${offer.botId} are searched for ${offer.offerIntentId}; nothing is sent again.`
        : `The offer of bot ${offer?.botId ?? 'unknown'} is being sent.`
    case 'active':
      return `The user has to accept ${name}. Accepted, the hold begins; declined or expired, the item stays with the user and nothing is paid.`
    default:
      return `${holdOf(item, now)} We then check again; if nothing was reversed, the proceeds are paid into the wallet.`
  }
}

/** With a space before it; empty when the market answers. */
const awayOf = ({ id, online, detail }: MarketNow): string =>
  online ? '' : ` ${id} does not answer now (${detail}); it is asked again until it does.`

const dollarsOf = (paid: bigint): string => `$${formatMills(paid)}`
