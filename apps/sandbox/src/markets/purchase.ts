import type { DatasetKeeper } from '../dataset-keeper.ts'
import { shareOf } from '../kernel/mills.ts'
import { waitMs } from '../kernel/turn.ts'
import type { MarketFaults } from './faults.ts'
import type { Order } from './order.ts'
import { cheapestOf, type Orders, type PlaceRequest, type Refusal } from './orders.ts'
import type { PurchaseScript } from './script.ts'

/** The result of a purchase call; each market renders it in its own protocol. */
export type PurchaseAnswer =
  | { readonly kind: 'accepted'; readonly order: Order }
  | { readonly kind: 'accepted_without_id' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** A refusal that no document lists; with an order number it may even have bought. */
  | { readonly kind: 'refused_strangely'; readonly order: Order | null }
  | { readonly kind: 'broken'; readonly answer: BrokenAnswer }
  /** The connection is closed without a response. */
  | { readonly kind: 'cut' }

export type BrokenAnswer = 'http_500' | '502' | '429' | '403' | 'html_200'

export type PurchaseCall = Omit<
  PlaceRequest,
  | 'sellerGivesUp'
  | 'givesUpBelowChance'
  | 'reversalBy'
  | 'hiddenForMs'
  | 'overchargeMills'
  | 'withholdsRefund'
  | 'penalties'
>

export interface PurchaseDeps {
  readonly orders: Orders
  readonly keeper: DatasetKeeper
  readonly faults: MarketFaults
  readonly stop: AbortSignal
  /** Market B lists refused attempts too; market A has no such thing. */
  readonly keepRefusedRow?: (call: PurchaseCall) => void
}

/** Buys, unless the script of this call says otherwise, and answers as the script says. */
export async function purchase(call: PurchaseCall, deps: PurchaseDeps): Promise<PurchaseAnswer> {
  const script = deps.faults.takePurchase(call.market)
  if (script.leavesRefusedRow) deps.keepRefusedRow?.(call)
  const answer = answerTo(call, script, deps)
  // The slowness comes after the effect: a caller that gives up waiting may own an order.
  await waitMs(script.slowMs, deps.stop)
  return answer
}

function answerTo(call: PurchaseCall, script: PurchaseScript, deps: PurchaseDeps): PurchaseAnswer {
  const { answer } = script
  switch (answer) {
    case 'reject:sold_out':
      return { kind: 'refused', refusal: sellToAnother(call, deps) }
    case 'reject:price_changed':
      return { kind: 'refused', refusal: raisePrice(call, deps) }
    case 'reject:no_funds':
      return { kind: 'refused', refusal: { kind: 'no_funds' } }
    case 'reject:unknown':
      return { kind: 'refused_strangely', order: null }
    case 'lost_reply_not_placed':
      return { kind: 'cut' }
    case '429':
    case '403':
      return { kind: 'broken', answer }
    case 'http_500':
    case '502':
    case 'html_200':
      if (script.isPlacedAnyway) place(call, script, deps)
      return { kind: 'broken', answer }
    default:
      return answerAfterPlacing(place(call, script, deps), answer)
  }
}

function answerAfterPlacing(
  placed: ReturnType<Orders['place']>,
  answer: 'lost_reply_placed' | 'success_without_id' | 'failure_with_id' | null,
): PurchaseAnswer {
  if (answer === 'lost_reply_placed') return { kind: 'cut' }
  if (placed.kind === 'refused') return placed
  if (answer === 'success_without_id') return { kind: 'accepted_without_id' }
  if (answer === 'failure_with_id') return { kind: 'refused_strangely', order: placed.order }
  return { kind: 'accepted', order: placed.order }
}

function place(call: PurchaseCall, script: PurchaseScript, deps: PurchaseDeps) {
  return deps.orders.place({
    ...call,
    sellerGivesUp: script.sellerGivesUp,
    givesUpBelowChance: script.givesUpBelowChance,
    reversalBy: script.reversalBy,
    hiddenForMs: script.hiddenForMs,
    overchargeMills: script.overchargeMills,
    withholdsRefund: script.withholdsRefund,
    penalties: script.penalties,
  })
}

/** Another buyer was faster: the listing is removed from the dataset too. */
function sellToAnother(call: PurchaseCall, { keeper }: PurchaseDeps): Refusal {
  const listing = targetOf(call, keeper)
  if (listing !== null) keeper.remove(call.market, listing.id, 'order')
  return { kind: 'sold_out' }
}

/** The price rises above the caller's ceiling, so that a second look-up shows the same. */
function raisePrice(call: PurchaseCall, { keeper }: PurchaseDeps): Refusal {
  const listing = targetOf(call, keeper)
  if (listing === null) return { kind: 'sold_out' }
  const baseMills = Math.max(call.ceilingMills, listing.priceMills)
  const priceMills = baseMills + Math.max(10, shareOf(baseMills, 10))
  keeper.setPrice(call.market, listing.id, priceMills, 'order')
  return { kind: 'price_above_ceiling', priceMills }
}

function targetOf({ market, target }: PurchaseCall, keeper: DatasetKeeper) {
  if ('listingId' in target) return keeper.dataset.listing(market, target.listingId) ?? null
  return cheapestOf(target.candidates)
}
