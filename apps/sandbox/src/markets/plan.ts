import type { Listing, MarketId } from '../dataset/types.ts'
import { throwBetween } from '../kernel/dice.ts'
import { type Behaviour, behaviourOf } from '../platform/persona.ts'
import type { OrderPlan, Side } from './order.ts'

/** How long an offer stands before the market takes it back. */
const OFFER_WINDOW_MS: Readonly<Record<MarketId, number>> = {
  market_a: 600_000,
  market_b: 1_800_000,
}

const IGNORED_OFFER_WINDOW_MS = 5_000
const SLOW_SELLER_MS = 15_000

/** Decides what the buyer and the seller of a new order will do. Deterministic for each order. */
export function planOrder(options: {
  readonly seed: number
  readonly seq: number
  readonly listing: Listing
  readonly token: string
  readonly sellerGivesUp: OrderPlan['sellerGivesUp']
  readonly reversalBy: Side | null
}): OrderPlan {
  const { seed, seq, listing } = options
  const behaviour = behaviourOf(options.token)
  // Bots are faster than people; both stay well below a second, for demonstrations.
  const [least, most] = listing.auto ? [300, 450] : [450, 700]
  return {
    offerDelayMs:
      behaviour === 'slow_seller' ? SLOW_SELLER_MS : throwBetween(least, most, seed, 'offer', seq),
    answerDelayMs: answerDelayMs(behaviour, seed, seq),
    answer: answerOf(behaviour),
    windowMs:
      behaviour === 'never_answers' ? IGNORED_OFFER_WINDOW_MS : OFFER_WINDOW_MS[listing.market],
    sellerGivesUp: options.sellerGivesUp,
    reversalBy: options.reversalBy ?? reversalOf(behaviour),
  }
}

/**
 * A "yes" comes within a second. A "no" takes its time: a market that forgets an order's stages when it
 * ends must have shown the offer to a client that polls every second, or a decline looks like a lost seller.
 */
const answerDelayMs = (behaviour: Behaviour, seed: number, seq: number): number =>
  behaviour === 'declines'
    ? throwBetween(2500, 3500, seed, 'answer', seq)
    : throwBetween(200, 800, seed, 'answer', seq)

function answerOf(behaviour: Behaviour): OrderPlan['answer'] {
  if (behaviour === 'declines') return 'declines'
  if (behaviour === 'never_answers' || behaviour === 'waits_for_control') return 'none'
  return 'accepts'
}

function reversalOf(behaviour: Behaviour): Side | null {
  if (behaviour === 'reverses') return 'buyer'
  return behaviour === 'seller_reverses' ? 'seller' : null
}
