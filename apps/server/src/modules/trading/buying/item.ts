// An item of a buy as the workers see it, and the steps that a supplier's report means for it. Pure.
import { type Cents, cents, type Mills } from '#kernel/money'
import { type FailureCode, isTerminal, type Status } from '#trades'
import type { MarketId, OrderQuery, OrderUpdate } from './ports.ts'

/** A step that an item is about to take. */
export interface Step {
  readonly from: Status
  readonly to: Status
  readonly offerId: string | null
  readonly failure: FailureCode | null
  readonly detail: string | null
  readonly revertedBy: 'supplier' | 'user' | null
  readonly penalty: Cents
}

/** An item as the workers see it. */
export interface WorkItem {
  readonly id: string
  readonly tradeId: string
  readonly requestId: string
  readonly market: MarketId
  readonly rawListingId: string
  readonly marketHashName: string
  readonly tradeUrl: string
  readonly sourcingMills: Mills
  readonly price: Cents
  readonly status: Status
  readonly createdAt: Date
  readonly holdEndsAt: Date | null
  /** Its delivery was contested once: no report of its market ends it any more. */
  readonly isContested: boolean
}

const PATH: readonly Status[] = ['initiated', 'pending', 'active', 'hold']

/**
 * The steps that a supplier's report means for an item, in order: observations that were missed are caught
 * up one by one, and an item never goes back. `completed` here still waits for our own hold window.
 */
export function stepsFor(
  item: Pick<WorkItem, 'status' | 'price' | 'isContested'>,
  update: OrderUpdate,
): Step[] {
  if (isTerminal(item.status)) return []
  const target = item.isContested ? CONTESTED : targetOf(item.status, update)
  const steps: Step[] = []
  let at = item.status
  const take = (to: Status, overrides: Partial<Step> = {}): void => {
    steps.push({ ...PLAIN, offerId: update.offerId, ...overrides, from: at, to })
    at = to
  }
  for (const status of PATH.slice(PATH.indexOf(at) + 1, PATH.indexOf(target.through) + 1))
    take(status)
  if (target.end) take(target.end.to, target.end)
  return steps
}

const PLAIN = {
  offerId: null,
  failure: null,
  detail: null,
  revertedBy: null,
  penalty: cents(0n),
} as const

interface Target {
  readonly through: Status
  readonly end?: Partial<Step> & { readonly to: Status }
}

/** It was delivered, and only a person says how that ends. */
const CONTESTED: Target = { through: 'hold' }

function targetOf(status: Status, update: OrderUpdate): Target {
  const detail = update.detail
  // A supplier that ends an order which was delivered has taken the item back, whatever it calls that.
  if (status === 'hold' && ['failed', 'declined', 'canceled'].includes(update.state)) {
    return { through: 'hold', end: { to: 'reverted', revertedBy: 'supplier' } }
  }
  switch (update.state) {
    case 'pending':
      return { through: 'pending' }
    case 'active':
      return { through: 'active' }
    case 'hold':
    case 'completed':
      return { through: 'hold' }
    case 'reverted':
      return {
        through: 'hold',
        end: { to: 'reverted', revertedBy: update.revertedBy ?? 'supplier' },
      }
    case 'failed':
      return {
        through: status,
        end: { to: 'failed', failure: update.failure ?? 'PURCHASE_FAILED', detail },
      }
    case 'canceled':
      return { through: status, end: { to: 'canceled', detail: null } }
    case 'declined':
      return { through: 'active', end: { to: 'declined', failure: 'OFFER_NOT_ACCEPTED', detail } }
    case 'contested':
      return CONTESTED
  }
}

/** What is asked of a supplier about an order. */
export const queryOf = ({
  item,
  order,
}: {
  readonly item: Pick<WorkItem, 'requestId'>
  readonly order: OrderQuery
}): OrderQuery => ({
  customId: order.customId,
  orderId: order.orderId,
  offerSeen: order.offerSeen,
  acceptanceSeen: order.acceptanceSeen,
  requestId: item.requestId,
})
