// Matching: listings to market orders, in the order of price and then of age, over all tenants.
import {
  claimToMatch,
  findWantedItems,
  listOpenAfter,
  lookAgain,
  noteMatched,
  type OpenOrder,
} from '#bidding'
import { mapAtOnce } from '#infra/limits/at-once'
import type { Mills } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { ceilingOf, priceListing } from '#pricing'
import type { Buyer } from './buy.ts'
import { type GiveAwayDeps, giveAway, type Round } from './give-away.ts'

export interface MatchingDeps extends GiveAwayDeps {
  /**
   * Of each query the ids of at most `limit` listings that can be bought now, the cheapest first.
   */
  findFitting(queries: readonly WantedListings[], limit: number): Promise<bigint[][]>
}

/** What an order takes of an item. */
export interface WantedListings {
  readonly itemId: string
  readonly ceilingMills: Mills
  readonly delivery: 'standard' | 'instant'
  readonly minWear: number | null
  readonly maxWear: number | null
  readonly paintSeeds: readonly number[] | null
  readonly except: readonly string[]
}

/** A listing that appeared or changed. */
export interface ChangedListing {
  readonly id: bigint
  readonly itemId: string
}

export interface Matching {
  /** Gives each listing that can be bought to the order that pays most for it. */
  matchListings(changed: readonly ChangedListing[]): Promise<void>
  /**
   * Orders that are new, changed, resumed or short of a failed fill look through what is for sale;
   * true: there are more.
   */
  matchOrders(): Promise<boolean>
  /**
   * All open orders look through what is for sale, a slice with each call; false when the last was
   * looked at. For a process that may have missed changes.
   */
  sweep(): Promise<boolean>
  /** The next sweep begins with the first order. */
  restartSweep(): void
}

/** Orders of one claim, and how long they are the claimer's. */
const ORDERS_AT_ONCE = 100
const LEASE_MS = 30_000
/** Listings that an order looks at in one turn. */
const LISTINGS_OF_ORDER = 20
/** Items whose listings are given away at the same time. */
const ITEMS_AT_ONCE = 4
/** After a try that a market's door or a pause of trading has refused, or that was put off. */
const RETRY_MS = 10_000

export function createMatching(deps: MatchingDeps): Matching {
  const { db, clock } = deps
  let sweptTo: Pick<OpenOrder, 'tenantId' | 'id'> | null = null
  let isSwept = false
  const inTime = (ms: number): Date => new Date(clock.now().getTime() + ms)

  /** The current rate, or null while there is none that is young enough. */
  const rateOrNull = (): Promise<bigint | null> =>
    deps.currentRate().catch((error) => {
      if (error instanceof Refusal) return null
      throw error
    })

  /** Of each order the ids of the listings that fit it; none while its price is not known. */
  const fittingOf = async (orders: readonly OpenOrder[]): Promise<bigint[][]> => {
    const rate = await rateOrNull()
    const buyers = new Map<string, Promise<Buyer | null>>()
    const buyerOf = (order: OpenOrder): Promise<Buyer | null> => {
      const buyer = buyers.get(order.accountId) ?? deps.buyerOf(order)
      buyers.set(order.accountId, buyer)
      return buyer
    }
    const wanted = await Promise.all(
      orders.map(async (order) =>
        order.wanted > 0 ? wantedBy(order, await buyerOf(order), rate) : null,
      ),
    )
    const asked = wanted.flatMap((one) => one ?? [])
    const found = asked.length > 0 ? await deps.findFitting(asked, LISTINGS_OF_ORDER) : []
    let next = 0
    return wanted.map((one) => (one === null ? [] : (found[next++] ?? [])))
  }

  /** Items beside one another, the listings of one item one after the other, in the order given. */
  const giveAll = async (changed: readonly ChangedListing[]): Promise<Round> => {
    const round: Round = { bought: new Set(), deferred: new Map(), full: new Set() }
    const byItem = Map.groupBy(changed, ({ itemId }) => itemId)
    await mapAtOnce([...byItem.values()], ITEMS_AT_ONCE, async (listings) => {
      for (const { id } of listings) {
        await giveAway(deps, id, { round, usdPerEurMicros: await rateOrNull() })
      }
    })
    return round
  }

  const matchFor = async (orders: readonly OpenOrder[]) => {
    const fitting = await fittingOf(orders)
    const changed = new Map<bigint, ChangedListing>()
    for (const [i, ids] of fitting.entries()) {
      for (const id of ids) changed.set(id, { id, itemId: orders[i]?.itemId ?? '' })
    }
    const listings = await deps.getListings([...changed.keys()])
    const cheapestFirst = listings
      .flatMap((listing) => listing ?? [])
      .sort((a, b) => Number(a.priceMills - b.priceMills) || Number(a.id - b.id))
    return { round: await giveAll(cheapestFirst), fitting }
  }

  const deferOthers = ({ deferred }: Round, claimed: ReadonlySet<string>): Promise<void> => {
    const others = [...deferred.values()].filter(({ id }) => !claimed.has(id))
    return lookAgain(db, others, inTime(RETRY_MS))
  }

  return {
    async matchListings(changed) {
      const wanted = await findWantedItems(db, [...new Set(changed.map(({ itemId }) => itemId))])
      const round = await giveAll(changed.filter(({ itemId }) => wanted.has(itemId)))
      await deferOthers(round, new Set())
    },

    async matchOrders() {
      const at = clock.now()
      const leaseUntil = inTime(LEASE_MS)
      const orders = await claimToMatch(db, { limit: ORDERS_AT_ONCE, at, leaseUntil })
      if (orders.length === 0) return false
      const { round, fitting } = await matchFor(orders)
      for (const [i, order] of orders.entries()) {
        const isDeferred = round.deferred.has(order.id)
        const next = isDeferred
          ? inTime(RETRY_MS)
          : mayHaveMore(order, fitting[i], round)
            ? at
            : null
        await noteMatched(db, order, { leaseUntil, next })
      }
      await deferOthers(round, new Set(orders.map(({ id }) => id)))
      return true
    },

    async sweep() {
      if (isSwept) return false
      const orders = await listOpenAfter(db, sweptTo, ORDERS_AT_ONCE)
      const { round, fitting } = await matchFor(orders)
      await deferOthers(round, new Set())
      const more = orders.filter((order, i) => mayHaveMore(order, fitting[i], round))
      await lookAgain(db, more, clock.now())
      sweptTo = orders.at(-1) ?? null
      isSwept = orders.length < ORDERS_AT_ONCE
      return !isSwept
    },

    restartSweep() {
      sweptTo = null
      isSwept = false
    },
  }
}

/** Whether more listings may fit an order than it has looked at. */
const mayHaveMore = (
  { itemId }: OpenOrder,
  fitting: readonly bigint[] | undefined,
  { bought }: Round,
): boolean => fitting?.length === LISTINGS_OF_ORDER && bought.has(itemId)

/** Null: the order can buy nothing now. */
function wantedBy(
  order: OpenOrder,
  buyer: Buyer | null,
  rate: bigint | null,
): WantedListings | null {
  if (buyer === null || (buyer.currency === 'EUR' && rate === null)) return null
  const { itemId, instantOnly, minWear, maxWear, paintSeeds, tried } = order
  return {
    ...{ itemId, minWear, maxWear, paintSeeds, except: tried },
    delivery: instantOnly ? 'instant' : 'standard',
    ceilingMills: ceilingOf(
      order.maxPrice,
      (priceMills) => priceListing(buyer, { priceMills, rate }).price,
    ),
  }
}
