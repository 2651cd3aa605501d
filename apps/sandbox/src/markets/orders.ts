import type { Listing, MarketId } from '../dataset/types.ts'
import type { DatasetKeeper } from '../dataset-keeper.ts'
import { createAgenda } from '../kernel/agenda.ts'
import type { Clock } from '../kernel/clock.ts'
import { behaviourOf, type TradePartner } from '../platform/persona.ts'
import type { ListingCodec } from '../store/listing-codec.ts'
import type { Store, Table } from '../store/store.ts'
import type { Accounts } from './accounts.ts'
import { chanceToTransfer } from './market-a/listing-view.ts'
import {
  advance,
  firstProgress,
  nextEvent,
  type Order,
  type OrderPlan,
  type OrderTerms,
  type PenaltiesForm,
  type Progress,
  type Side,
  type Stage,
} from './order.ts'
import { createOrderIndex, type OrderIndex } from './order-index.ts'
import { planOrder } from './plan.ts'

/** Why a market will not sell. Certain: nothing was taken and nothing was paid. */
export type Refusal =
  | { readonly kind: 'sold_out' }
  /** By name: nothing at this price; `priceMills` is the price now where one is known. */
  | { readonly kind: 'price_above_ceiling'; readonly priceMills: number | null }
  | { readonly kind: 'no_funds' }
  | { readonly kind: 'link_invalid' }
  | { readonly kind: 'inventory_private' }
  | { readonly kind: 'trade_banned' }
  | { readonly kind: 'buyer_blocked' }
  | { readonly kind: 'custom_id_taken' }

export interface PlaceRequest {
  readonly market: MarketId
  readonly account: string
  readonly target: { readonly listingId: string } | { readonly candidates: readonly Listing[] }
  readonly ceilingMills: number
  readonly buyer: TradePartner | null
  readonly customId: string | null
  /** What the market does with a custom id that it has seen before. */
  readonly onKnownCustomId: 'buys_again' | 'refused'
  readonly sellerGivesUp: OrderPlan['sellerGivesUp']
  readonly givesUpBelowChance: number
  readonly reversalBy: Side | null
  readonly hiddenForMs: number
  /** False figures that a script asks for; see the script. */
  readonly overchargeMills: number
  readonly withholdsRefund: boolean
  readonly penalties: PenaltiesForm | null
}

export type Placed =
  | { readonly kind: 'placed'; readonly order: Order }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** The order engine of both markets: their protocols differ, the effects are the same. */
export interface Orders {
  readonly index: OrderIndex
  /** The orders whose offer an answer has named, by their numbers; since the start of this process. */
  readonly offersShown: Set<number>
  place(request: PlaceRequest): Placed
  /** Moves an order by the control interface; null when its stage does not allow it. */
  move(order: Order, to: Stage, by: Side | null): Order | null
  /** Applies everything that is due. */
  runDue(): void
  nextDueMs(): number | null
  subscribe(listener: (order: Order, before: Order | null) => void): void
}

export interface OrdersDeps {
  readonly clock: Clock
  readonly seed: number
  readonly store: Store
  readonly keeper: DatasetKeeper
  readonly accounts: Accounts
  readonly terms: Readonly<Record<MarketId, OrderTerms>>
}

export function createOrders(deps: OrdersDeps): Orders {
  const { clock, store, keeper, accounts } = deps
  const placements = store.table('order_placement')
  const progresses = store.table('order_progress')
  const index = createOrderIndex()
  const agenda = createAgenda<{ readonly seq: number; readonly from: Stage; readonly to: Stage }>()
  const listeners: ((order: Order, before: Order | null) => void)[] = []

  const keepUp = (order: Order, before: Order | null): void => {
    index.put(order)
    accounts.apply(order, before)
    const next = nextEvent(order)
    if (next === null) return
    agenda.add(next.atMs, { seq: order.seq, from: order.progress.stage, to: next.to })
  }

  const step = (order: Order, to: Stage, by: Side | null): Order => {
    const after = advance(order, to, { nowMs: clock.nowMs(), by, terms: deps.terms[order.market] })
    store.atomically(() => {
      progresses.write(order.seq, JSON.stringify(after.progress))
      if (isLeftWithSeller(after)) keeper.putBack(order.listing)
    })
    keepUp(after, order)
    for (const listener of listeners) listener(after, order)
    return after
  }

  for (const order of readOrders(placements, progresses, keeper.codec)) keepUp(order, null)

  return {
    index,
    offersShown: new Set(),
    place(request) {
      const chosen = choose(request, deps, index)
      if ('kind' in chosen) return { kind: 'refused', refusal: chosen }
      const order = compose(request, chosen, { deps, seq: index.lastSeq() + 1 })
      store.atomically(() => {
        keeper.take(order.market, order.listing.id)
        placements.write(order.seq, encodePlacement(order, keeper.codec))
        progresses.write(order.seq, JSON.stringify(order.progress))
      })
      keepUp(order, null)
      for (const listener of listeners) listener(order, null)
      return { kind: 'placed', order }
    },
    move(order, to, by) {
      const current = index.bySeq(order.seq) ?? order
      return canMove(current, to) ? step(current, to, by) : null
    },
    runDue() {
      if ((agenda.nextAtMs() ?? Number.POSITIVE_INFINITY) > clock.nowMs()) return
      // One commit for all that is due at once: thousands of holds may end in the same second.
      store.atomically(() => {
        for (;;) {
          const due = agenda.takeDue(clock.nowMs())
          if (due === undefined) return
          const order = index.bySeq(due.seq)
          // The control interface may have moved it before.
          if (order?.progress.stage !== due.from) continue
          step(order, due.to, due.to === 'reversed' ? order.plan.reversalBy : null)
        }
      })
    },
    nextDueMs: () => agenda.nextAtMs(),
    subscribe: (listener) => void listeners.push(listener),
  }
}

/** The listing that will be bought, or the reason why none. */
function choose(
  request: PlaceRequest,
  { keeper, accounts }: OrdersDeps,
  index: OrderIndex,
): { readonly listing: Listing; readonly buyer: TradePartner } | Refusal {
  const { market, account, buyer, customId } = request
  if (buyer === null) return { kind: 'link_invalid' }
  if (
    request.onKnownCustomId === 'refused' &&
    customId !== null &&
    index.byCustomId(market, account, customId).length > 0
  ) {
    return { kind: 'custom_id_taken' }
  }
  const trouble = troubleWith(buyer)
  if (trouble !== null) return trouble
  const listing = find(request, keeper)
  if ('kind' in listing) return listing
  if (accounts.balanceMills(market, account) < listing.priceMills) return { kind: 'no_funds' }
  return { listing, buyer }
}

function troubleWith(buyer: TradePartner): Refusal | null {
  switch (behaviourOf(buyer.token)) {
    case 'private_inventory':
      return { kind: 'inventory_private' }
    case 'trade_banned':
      return { kind: 'trade_banned' }
    case 'platform_hold':
      return { kind: 'buyer_blocked' }
    default:
      return null
  }
}

function find(
  { market, target, ceilingMills }: PlaceRequest,
  keeper: DatasetKeeper,
): Listing | Refusal {
  if ('listingId' in target) {
    const listing = keeper.dataset.listing(market, target.listingId)
    if (listing === undefined) return { kind: 'sold_out' }
    if (listing.priceMills <= ceilingMills) return listing
    return { kind: 'price_above_ceiling', priceMills: listing.priceMills }
  }
  const cheapest = cheapestOf(target.candidates)
  if (cheapest === null) return { kind: 'price_above_ceiling', priceMills: null }
  if (cheapest.priceMills <= ceilingMills) return cheapest
  return { kind: 'price_above_ceiling', priceMills: cheapest.priceMills }
}

export function cheapestOf(listings: readonly Listing[]): Listing | null {
  let cheapest: Listing | null = null
  for (const listing of listings) {
    if (cheapest === null || listing.priceMills < cheapest.priceMills) cheapest = listing
  }
  return cheapest
}

function compose(
  request: PlaceRequest,
  { listing, buyer }: { readonly listing: Listing; readonly buyer: TradePartner },
  { deps, seq }: { readonly deps: OrdersDeps; readonly seq: number },
): Order {
  const nowMs = deps.clock.nowMs()
  return {
    seq,
    market: request.market,
    account: request.account,
    customId: request.customId,
    listing,
    paidMills: listing.priceMills + request.overchargeMills,
    quotedMills: listing.priceMills,
    withholdsRefund: request.withholdsRefund,
    penalties: request.penalties,
    buyer,
    plan: planOrder({
      seed: deps.seed,
      seq,
      listing,
      token: buyer.token,
      sellerGivesUp:
        request.sellerGivesUp ??
        (chanceToTransfer(listing) < request.givesUpBelowChance ? 'before_offer' : null),
      reversalBy: request.reversalBy,
    }),
    placedAtMs: nowMs,
    hiddenUntilMs: nowMs + request.hiddenForMs,
    progress: firstProgress(nowMs),
  }
}

function canMove(order: Order, to: Stage): boolean {
  if (to === 'reversed') return order.progress.stage === 'held'
  if (to === 'canceled') return ['placed', 'confirming'].includes(order.progress.stage)
  return (
    order.progress.stage === 'offered' && (to === 'held' || to === 'declined' || to === 'expired')
  )
}

/** An order that ended before the hand-over leaves the item with its seller, who lists it again. */
function isLeftWithSeller({ progress }: Order): boolean {
  return progress.endedAtMs !== null && progress.acceptedAtMs === null
}

/** What never changes of an order is stored apart from what does, which is written at every step. */
function encodePlacement({ progress: _, ...placement }: Order, codec: ListingCodec): string {
  return JSON.stringify({ ...placement, listing: codec.encode(placement.listing) })
}

function readOrders(placements: Table, progresses: Table, codec: ListingCodec): readonly Order[] {
  const progressOf = new Map([...progresses.rows()].map(({ key, row }) => [key, row]))
  return [...placements.rows()].map(({ key, row }) => {
    const placement = JSON.parse(row) as Omit<Order, 'progress' | 'listing'> & {
      readonly listing: string
    }
    const progress = JSON.parse(progressOf.get(key) ?? '') as Progress
    return { ...placement, listing: codec.decode(placement.listing), progress }
  })
}
