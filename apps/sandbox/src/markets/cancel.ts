import type { Clock } from '../kernel/clock.ts'
import type { MarketFaults } from './faults.ts'
import type { Order } from './order.ts'
import type { Orders } from './orders.ts'

/** The result of a cancel. An extension: the documents of neither market have such a call. */
export type Canceled =
  | 'canceled'
  | 'not_found'
  /** The order has not reached the market's minimum age. */
  | 'too_early'
  /** The seller has made the offer: it is the buyer's to decline. */
  | 'offer_out'
  | 'ended'
  /** The connection is closed without a response, whatever the outcome. */
  | 'cut'

export interface CancelDeps {
  readonly clock: Clock
  readonly orders: Orders
  readonly faults: MarketFaults
  readonly cancelAfterMs: number
}

/** A canceled order costs nothing, and its item returns to the seller. Idempotent. */
export function cancelOrder(order: Order | undefined, deps: CancelDeps): Canceled {
  if (order === undefined) return 'not_found'
  const lost = deps.faults.takeLostCancel(order.market)
  if (lost === 'not_done') return 'cut'
  const outcome = outcomeOf(order, deps)
  return lost === 'done' ? 'cut' : outcome
}

function outcomeOf(order: Order, { clock, orders, cancelAfterMs }: CancelDeps): Canceled {
  const { progress, placedAtMs } = order
  if (progress.stage === 'canceled') return 'canceled'
  if (progress.endedAtMs !== null) return 'ended'
  if (progress.offeredAtMs !== null) return 'offer_out'
  if (clock.nowMs() - placedAtMs < cancelAfterMs) return 'too_early'
  return orders.move(order, 'canceled', 'buyer') === null ? 'offer_out' : 'canceled'
}
