import type { Listing, MarketId } from '../dataset/types.ts'
import { shareOf } from '../kernel/mills.ts'
import type { TradePartner } from '../platform/persona.ts'

/** Forms of a field that no document describes. */
export const PENALTIES_FORMS = [
  'buyer',
  'seller',
  'both',
  'number',
  'list',
  'text',
  'none',
] as const
export type PenaltiesForm = (typeof PENALTIES_FORMS)[number]

/**
 * The life of one purchase at a market. `confirming` is the moment in which the seller has made the
 * offer and not yet confirmed it on the phone: market B shows it, the buyer does not see it.
 */
export type Stage =
  | 'placed'
  | 'confirming'
  | 'offered'
  | 'held'
  | 'released'
  | 'failed'
  | 'canceled'
  | 'declined'
  | 'expired'
  | 'reversed'

const NEXT_STAGES: Readonly<Record<Stage, readonly Stage[]>> = {
  placed: ['confirming', 'failed', 'canceled'],
  confirming: ['offered', 'failed', 'canceled'],
  offered: ['held', 'declined', 'expired', 'failed'],
  held: ['released', 'reversed'],
  released: [],
  failed: [],
  canceled: [],
  declined: [],
  expired: [],
  reversed: [],
}

export type Side = 'buyer' | 'seller'

/** What the buyer and the seller will do; drawn once, when the order is placed. */
export interface OrderPlan {
  /** From the purchase to the offer. */
  readonly offerDelayMs: number
  /** From the offer to the buyer's answer. */
  readonly answerDelayMs: number
  readonly answer: 'accepts' | 'declines' | 'none'
  /** How long the offer stands. */
  readonly windowMs: number
  readonly sellerGivesUp: 'before_offer' | 'after_offer' | null
  readonly reversalBy: Side | null
}

export interface Order {
  /** Unique over both markets and all restarts; every other number of the order comes from it. */
  readonly seq: number
  readonly market: MarketId
  /** The key that bought: whose account paid, and who may see the order. */
  readonly account: string
  readonly customId: string | null
  readonly listing: Listing
  /** What the account lost by it, and what the rows say. */
  readonly paidMills: number
  /** The price in the response to the purchase; a script can make it differ from what was paid. */
  readonly quotedMills?: number
  /** Its end gives nothing back, whatever the rows say. */
  readonly withholdsRefund?: boolean
  /** The form of `penalties` that its row shows once it is reversed, by whomever. */
  readonly penalties?: PenaltiesForm | null
  readonly buyer: TradePartner
  readonly plan: OrderPlan
  readonly placedAtMs: number
  /** Look-ups answer as if it did not exist until then. */
  readonly hiddenUntilMs: number
  readonly progress: Progress
}

export interface Progress {
  readonly stage: Stage
  readonly updatedAtMs: number
  readonly offeredAtMs: number | null
  readonly offerExpiresAtMs: number | null
  readonly acceptedAtMs: number | null
  readonly settlesAtMs: number | null
  readonly endedAtMs: number | null
  readonly endedBy: Side | null
  readonly refundMills: number
  /** The item's id in the buyer's inventory. */
  readonly deliveredAssetId: string | null
  /** The item's id back in the seller's inventory, after a reversal. */
  readonly returnedAssetId: string | null
}

export function firstProgress(placedAtMs: number): Progress {
  return {
    stage: 'placed',
    updatedAtMs: placedAtMs,
    offeredAtMs: null,
    offerExpiresAtMs: null,
    acceptedAtMs: null,
    settlesAtMs: null,
    endedAtMs: null,
    endedBy: null,
    refundMills: 0,
    deliveredAssetId: null,
    returnedAssetId: null,
  }
}

export interface OrderTerms {
  readonly holdMs: number
  /** What the market keeps of the price when the buyer reverses, in percent, for each party. */
  readonly keptOnBuyerReversalPercents: readonly number[]
}

/** How long before the offer the seller is busy with the phone. */
const CONFIRMING_MS = 150

/** The next scheduled event; null when the order has ended or waits for the control interface. */
export function nextEvent(order: Order): { readonly atMs: number; readonly to: Stage } | null {
  const { plan, progress, placedAtMs } = order
  switch (progress.stage) {
    case 'placed':
      return plan.sellerGivesUp === 'before_offer'
        ? { atMs: placedAtMs + plan.offerDelayMs, to: 'failed' }
        : { atMs: placedAtMs + Math.max(0, plan.offerDelayMs - CONFIRMING_MS), to: 'confirming' }
    case 'confirming':
      return { atMs: placedAtMs + plan.offerDelayMs, to: 'offered' }
    case 'offered':
      return nextOfOffer(order)
    case 'held':
      return nextOfHold(order)
    default:
      return null
  }
}

function nextOfOffer({ plan, progress }: Order): { atMs: number; to: Stage } {
  const answeredAtMs = (progress.offeredAtMs ?? progress.updatedAtMs) + plan.answerDelayMs
  if (plan.sellerGivesUp === 'after_offer') return { atMs: answeredAtMs, to: 'failed' }
  if (plan.answer === 'accepts') return { atMs: answeredAtMs, to: 'held' }
  if (plan.answer === 'declines') return { atMs: answeredAtMs, to: 'declined' }
  return { atMs: progress.offerExpiresAtMs ?? answeredAtMs, to: 'expired' }
}

/** A reversal comes after a quarter of the hold, but leaves a second in which it can be seen. */
function nextOfHold({ plan, progress }: Order): { atMs: number; to: Stage } {
  const settlesAtMs = progress.settlesAtMs ?? progress.updatedAtMs
  if (plan.reversalBy === null) return { atMs: settlesAtMs, to: 'released' }
  const acceptedAtMs = progress.acceptedAtMs ?? progress.updatedAtMs
  const quarterMs = Math.max(1000, (settlesAtMs - acceptedAtMs) / 4)
  return { atMs: Math.min(acceptedAtMs + quarterMs, settlesAtMs - 1), to: 'reversed' }
}

/** The order one stage further. `by` says whose doing an end is. Refuses to go back or to jump. */
export function advance(
  order: Order,
  to: Stage,
  options: { readonly nowMs: number; readonly by: Side | null; readonly terms: OrderTerms },
): Order {
  const from = order.progress.stage
  if (!NEXT_STAGES[from].includes(to)) throw new Error(`an order cannot go from ${from} to ${to}`)
  const changes = changesAt(order, to, options)
  const withheld = order.withholdsRefund === true ? { refundMills: 0 } : {}
  return {
    ...order,
    progress: {
      ...order.progress,
      ...changes,
      ...withheld,
      stage: to,
      updatedAtMs: options.nowMs,
    },
  }
}

function changesAt(
  order: Order,
  to: Stage,
  { nowMs, by, terms }: { nowMs: number; by: Side | null; terms: OrderTerms },
): Partial<Progress> {
  switch (to) {
    case 'offered':
      return { offeredAtMs: nowMs, offerExpiresAtMs: nowMs + order.plan.windowMs }
    case 'held':
      return {
        acceptedAtMs: nowMs,
        settlesAtMs: nowMs + terms.holdMs,
        deliveredAssetId: String(HANDED_OVER_ASSET_IDS + order.seq * 2),
      }
    case 'released':
      return { endedAtMs: nowMs }
    case 'canceled':
    case 'declined':
    case 'expired':
      return { endedAtMs: nowMs, endedBy: 'buyer', refundMills: order.paidMills }
    case 'failed':
      return { endedAtMs: nowMs, endedBy: 'seller', refundMills: order.paidMills }
    case 'reversed': {
      const keptMills = by === 'buyer' ? keptOnReversal(order.paidMills, terms) : 0
      return {
        endedAtMs: nowMs,
        endedBy: by,
        refundMills: order.paidMills - keptMills,
        returnedAssetId: String(HANDED_OVER_ASSET_IDS + order.seq * 2 + 1),
      }
    }
    default:
      return {}
  }
}

/**
 * The sum of the parts, each rounded as statements show it. Rounding the sum instead keeps a thousandth
 * more than a statement of two parts says, at four prices in ten.
 */
export function keptOnReversal(
  paidMills: number,
  { keptOnBuyerReversalPercents }: Pick<OrderTerms, 'keptOnBuyerReversalPercents'>,
): number {
  return keptOnBuyerReversalPercents
    .map((percent) => shareOf(paidMills, percent))
    .reduce((kept, part) => kept + part, 0)
}

/** Above every asset id that the dataset gives out: an item gets a new id at each hand-over. */
const HANDED_OVER_ASSET_IDS = 90_000_000_000

/** The platform's number of the offer; null until the seller has made one. */
export function offerIdOf(order: Order): string | null {
  const { stage, offeredAtMs } = order.progress
  const isMade = stage === 'confirming' || offeredAtMs !== null
  return isMade ? String(FIRST_OFFER_ID + order.seq) : null
}

/** The order that an offer id belongs to, by its number. */
export function seqOfOfferId(offerId: string): number | null {
  if (!/^\d{10}$/.test(offerId)) return null
  return Number(offerId) - FIRST_OFFER_ID
}

const FIRST_OFFER_ID = 9_393_000_000
