// Giving one listing away: to the first, in the order of price and then of age, of the market orders that can
// take it.
import { listBestOrders, type OpenOrder, type PassedOver, type Pause, pauseOrders } from '#bidding'
import type { Db } from '#infra/database/db'
import { sourcingIn } from '#pricing'
import type { ListingForSale } from './buy.ts'
import { type FillDeps, fill } from './fill.ts'
import type { MarketId } from './ports.ts'
import { listUnableToPay, type Unable } from './store/unable.ts'

export interface GiveAwayDeps extends FillDeps {
  /** As they are now, in the order of the ids; null for an id that is no listing. */
  getListings(ids: readonly bigint[]): Promise<readonly (ListingForSale | null)[]>
  onFilled?(market: MarketId): void
}

/** What came of giving listings away. */
export interface Round {
  /** Items of which something was bought. */
  readonly bought: Set<string>
  /** Orders that look again soon, because nothing could be bought for them now; by id. */
  readonly deferred: Map<string, OpenOrder>
  /**
   * Tenants and markets at whose doors a try was refused: no other order is tried there in this
   * round.
   */
  readonly full: Set<string>
}

/** Orders that are read for a listing; more when none of them takes it. */
const ORDERS_OF_LISTING = 20
/**
 * Tries in vain for a listing, after which orders are asked whether they can pay before one is tried. A
 * try is a transaction, and pauses one order.
 */
const TRIES_UNASKED = 10
/** Orders that are asked at once, and how often for one listing. */
const ORDERS_ASKED = 1000
const MOST_QUESTIONS = 2
/** Of one tenant, of orders that were able to pay when asked: then those of others have their turn. */
const TRIES_OF_TENANT = 10

/** A listing's search for the order that takes it. */
interface Search {
  readonly except: {
    readonly [whole in keyof PassedOver]: Set<string>
  }
  /** In vain. */
  tries: number
  /** By tenant, of orders that were asked before. */
  readonly triesOf: Map<string, number>
}

/**
 * Offers the listing to the orders that it fits until one takes it or none is left. An order that cannot
 * pay is paused and passed over, however many there are: what a listing costs depends on the account alone,
 * so of each account, or account and key, one order stands for all. Beyond two thousand, and for a tenant
 * whose orders are refused although they could pay, the rest looks again soon.
 */
export async function giveAway(
  deps: GiveAwayDeps,
  id: bigint,
  { round, usdPerEurMicros }: { readonly round: Round; readonly usdPerEurMicros: bigint | null },
): Promise<void> {
  const { db, clock } = deps
  const [listing] = await deps.getListings([id])
  if (!listing?.available || !listing.marketAvailable) return
  const { itemId, priceMills, description } = listing
  const offered = {
    ...{ id, itemId, instant: description.delivery === 'instant' },
    ...{ wear: description.wear, paintSeed: description.paintSeed },
    sourcing: {
      USD: sourcingIn('USD', priceMills, null),
      EUR: usdPerEurMicros === null ? null : sourcingIn('EUR', priceMills, usdPerEurMicros),
    },
  }
  const search: Search = {
    except: { orders: new Set(), accounts: new Set(), keys: new Set(), tenants: new Set() },
    ...{ tries: 0, triesOf: new Map() },
  }
  for (let questions = 0; ; ) {
    const asks = search.tries >= TRIES_UNASKED
    const isLast = questions === MOST_QUESTIONS
    const limit = asks && !isLast ? ORDERS_ASKED : ORDERS_OF_LISTING
    const asked = { except: search.except, usdPerEurMicros, at: clock.now(), limit }
    const orders = await listBestOrders(db, offered, asked)
    if (isLast) return defer(round, orders)
    const unable = asks ? await findUnable(db, orders, { ...asked, ...offered }) : null
    if (await offerInTurn(deps, { listing, orders, unable, search, round })) return
    if (asks) questions++
    const isCutShort = !asks && search.tries >= TRIES_UNASKED
    if (orders.length < limit && !isCutShort) return
  }
}

/** By payer. */
async function findUnable(
  db: Db,
  orders: readonly OpenOrder[],
  offer: Parameters<typeof listUnableToPay>[2],
): Promise<ReadonlyMap<string, Unable>> {
  const payers = new Map(orders.map((order) => [payerOf(order), order]))
  const unable = await listUnableToPay(db, [...payers.values()], offer)
  return new Map(unable.map((one) => [payerOf(one), one]))
}

const payerOf = ({ accountId, keyId }: Pick<OpenOrder, 'accountId' | 'keyId'>): string =>
  `${accountId} ${keyId}`

interface Offer {
  readonly listing: ListingForSale
  readonly orders: readonly OpenOrder[]
  /** Null: the orders were not asked, and are tried only until it is time to ask. */
  readonly unable: ReadonlyMap<string, Unable> | null
  readonly search: Search
  readonly round: Round
}

/**
 * True: the search is over. Orders that were asked and cannot pay are paused as if they had been tried,
 * unless no order gets the listing.
 */
async function offerInTurn(
  deps: GiveAwayDeps,
  { listing, orders, unable, search, round }: Offer,
): Promise<boolean> {
  const { except, triesOf } = search
  const pauses: Pause[] = []
  const pause = () => pauseOrders(deps.db, pauses, deps.clock.now())
  for (const [place, order] of orders.entries()) {
    if (unable === null && search.tries >= TRIES_UNASKED) break
    const { tenantId } = order
    const door = `${tenantId}:${listing.market}`
    const tried = triesOf.get(tenantId) ?? 0
    if (round.full.has(door) || tried === TRIES_OF_TENANT) {
      except.tenants.add(tenantId)
      defer(round, [order])
    }
    if (isPassedOver(order, except)) continue
    const inability = unable?.get(payerOf(order))
    if (inability !== undefined) {
      pauses.push({ order, reason: inability.reason, needed: inability.price })
      passOver(order, except, inability.isOfKey ? 'key' : 'account')
      continue
    }
    search.tries++
    if (unable !== null) triesOf.set(tenantId, tried + 1)
    except.orders.add(order.id)
    switch (await fill(deps, order, listing)) {
      case 'bought':
        round.bought.add(listing.itemId)
        deps.onFilled?.(listing.market)
        await pause()
        return true
      case 'gone':
        return true
      case 'market_full':
      case 'disabled':
        // No order gets it now, and whichever is the best then is to have it later.
        defer(round, orders.slice(place, place + ORDERS_OF_LISTING))
        return true
      case 'tenant_full':
        round.full.add(door)
        except.tenants.add(tenantId)
        defer(round, [order])
        break
      case 'account_passed':
        passOver(order, except, 'account')
        break
      case 'key_passed':
        passOver(order, except, 'key')
    }
  }
  await pause()
  return false
}

function defer({ deferred }: Round, orders: readonly OpenOrder[]): void {
  for (const order of orders) deferred.set(order.id, order)
}

function passOver(
  { accountId, keyId }: OpenOrder,
  { accounts, keys }: Search['except'],
  whole: 'account' | 'key',
): void {
  if (whole === 'account') accounts.add(accountId)
  else if (keyId !== null) keys.add(keyId)
}

const isPassedOver = ({ tenantId, accountId, keyId }: OpenOrder, except: PassedOver): boolean =>
  except.tenants.has(tenantId) ||
  except.accounts.has(accountId) ||
  (keyId !== null && except.keys.has(keyId))
