// Buying: from a basket of listings to a trade with its money in escrow.
import { createHash } from 'node:crypto'
import { accountRefusal, type LookUpContext, limitRefusal } from '#identity'
import { type Db, sqlDetail, sqlHint, sqlState, violatedConstraint } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { type Cents, type Currency, type Mills, sumCents } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import { type BuyingTerms, type ListingPrice, priceListing, type RateDeps, rateFor } from '#pricing'
import { findReplay, type ItemDescription, type Receipt } from '#trades'
import { adopt, adoptableOf, listLost, type OnAdopted } from './adopt.ts'
import type { MarketId } from './ports.ts'
import type { BoughtItem } from './store/bought.ts'
import { insertBuy, type NewBuy, type NewItem } from './store/buys.ts'
import type { LostOrder } from './store/lost-orders.ts'

/** A listing as the catalog offers it to a buyer. */
export interface ListingForSale {
  readonly id: bigint
  readonly market: MarketId
  readonly rawId: string
  readonly itemId: string
  readonly game: string
  readonly priceMills: Mills
  /** In the market's feed, and not bought through us. */
  readonly available: boolean
  /** Its market is switched on and answering, and our account there covers its price. */
  readonly marketAvailable: boolean
  readonly description: ItemDescription
}

export interface BuyDeps extends RateDeps {
  readonly db: Db
  readonly clock: Clock
  /** Answers in the order of the ids; null for an id that was never a listing. */
  getListings(ids: readonly bigint[]): Promise<readonly (ListingForSale | null)[]>
  findListingByRawId(market: MarketId, rawId: string): Promise<ListingForSale | null>
  /** The trade URL as the platform resolves it; refuses 1413 and 1418. */
  resolveTradeUrl(url: string, context: LookUpContext): Promise<{ url: string; platformId: string }>
  balanceOf(accountId: string): Promise<Cents>
  isPaused(): Promise<boolean>
  /** A buy was refused for what all tenants have waiting at this market. */
  onRefusedAtDoor?(market: MarketId): void
  /** In the commit that makes a trade of an order that a restore had lost. */
  onAdopted?: OnAdopted
  /** Listings of these items were taken: resolves when this process offers them no more. Never rejects. */
  onTaken(catalogItemIds: readonly string[]): Promise<void>
}

export interface Buyer extends BuyingTerms {
  readonly accountId: string
  /** The merchant that the account belongs to. */
  readonly tenantId: string
  readonly merchantCurrency: Currency
  /** Whose spend limit the buy counts under; null for a person, who has none. */
  readonly keyId: string | null
  readonly primaryTradeUrl: { readonly url: string; readonly platformId: string } | null
}

export interface BuyOrder<Limit extends PriceLimit = AtMost> {
  readonly requestId: string
  readonly externalId: string | null
  readonly tradeUrl: string | null
  /** 1 to 10. */
  readonly items: readonly BuyLine<Limit>[]
}

export type BuyLine<Limit extends PriceLimit = AtMost> = Limit & {
  /** One that is not at the named market is LISTING_NOT_FOUND. */
  readonly listing:
    | { readonly id: bigint; readonly market?: MarketId }
    | { readonly market: MarketId; readonly rawId: string }
  readonly externalId: string | null
}

/** What the buyer agrees to, in cents of the wallet's currency: any other price is PRICE_MISMATCH. */
export type PriceLimit = AtMost | Exactly

/** At most this, fees included. */
export interface AtMost {
  readonly maxPrice: Cents
  readonly basePrice?: undefined
}

/** Exactly this, without fees. */
export interface Exactly {
  readonly basePrice: Cents
  readonly maxPrice?: undefined
}

export type Buy = (buyer: Buyer, order: BuyOrder<PriceLimit>) => Promise<Bought>

export interface Bought extends Receipt {
  /** What was taken, in the order of the request; null for a replay, see `readBought`. */
  readonly taken: readonly BoughtItem[] | null
}

/**
 * Accepts a buy, or refuses it with nothing escrowed: SERVICE_DISABLED, IDEMPOTENCY_CONFLICT,
 * DUPLICATE_LISTING_ID, LISTING_NOT_FOUND, MARKET_UNAVAILABLE, PRICE_MISMATCH, TRADEURL_REQUIRED,
 * the trade URL's own refusals, INSUFFICIENT_BALANCE, SPENDING_LIMIT_REACHED. A known external id answers
 * the first receipt; one whose order a restore has lost adopts that order.
 */
export function createBuy(deps: BuyDeps): Buy {
  return async (buyer, order) => {
    refuseDuplicates(order.items)
    if (await deps.isPaused()) refuse('SERVICE_DISABLED')
    const requestHash = requestHashOf(order)
    try {
      return await place(deps, buyer, order, requestHash)
    } catch (error) {
      // A replay is answered whatever has become of its listings since; looking for it only now keeps
      // the first placement at one statement.
      // Lost orders first: one that is adopted in between is a replay.
      const lost = await listLost(deps, buyer, order, error)
      const replay = await replayOf(deps.db, { buyer, order, requestHash }, error)
      if (replay) return { ...replay, taken: null }
      if (lost.length > 0) return adoptOne(deps, { buyer, order, requestHash }, lost)
      throw error
    }
  }
}

const ATTEMPTS = 3

async function place(
  deps: BuyDeps,
  buyer: Buyer,
  order: BuyOrder<PriceLimit>,
  requestHash: Buffer,
): Promise<Bought> {
  for (let attempt = 1; ; attempt++) {
    const rate = await rateFor(deps, buyer)
    const listings = await readListings(deps, order.items)
    const items = order.items.map((line, i) =>
      priced(buyer, rate, line, assertDefined(listings[i], 'listing')),
    )
    const recipient = await recipientOf(deps, buyer, order)
    const trade: NewBuy = {
      tenantId: buyer.tenantId,
      accountId: buyer.accountId,
      platformId: recipient.platformId,
      tradeUrl: recipient.url,
      externalId: order.externalId,
      requestHash,
      game: assertDefined(listings[0], 'listing').game,
      currency: buyer.currency,
      usdPerEurMicros: rate,
      requestId: order.requestId,
      at: deps.clock.now(),
      items,
    }
    try {
      const receipt = await insertBuy(deps.db, trade, buyer.keyId)
      if (receipt.replayed) return { ...receipt, taken: null }
      await deps.onTaken(items.map(({ catalogItemId }) => catalogItemId))
      return { ...receipt, taken: items }
    } catch (error) {
      const listingId = lostListing(error)
      if (listingId === null) throw await refusalOf(deps, buyer, items, error)
      // Sold or dearer since it was read: reading again shows which, and a cheaper one goes through.
      if (attempt === ATTEMPTS) refuse('LISTING_NOT_FOUND', { listingId })
    }
  }
}

async function adoptOne(
  deps: BuyDeps,
  {
    buyer,
    order,
    requestHash,
  }: Asked & { readonly buyer: Buyer; readonly order: BuyOrder<PriceLimit> },
  lost: readonly LostOrder[],
): Promise<Bought> {
  const { tenantId, accountId, currency } = buyer
  const { externalId, requestId, items } = order
  const recipient = await recipientOf(deps, buyer, order)
  const { url: tradeUrl, platformId } = recipient
  const one = adoptableOf(lost, { lines: items, tradeUrl, currency })
  const usdPerEurMicros = await rateFor(deps, buyer)
  const trade = {
    ...{ tenantId, accountId, platformId, tradeUrl, externalId, requestHash, requestId },
    ...{ game: one.game, currency, usdPerEurMicros, at: deps.clock.now() },
  }
  const itemExternalId = items[0]?.externalId ?? null
  const { keyId } = buyer
  const receipt = await adopt(deps, one, { trade, itemExternalId, keyId }).catch(async (error) => {
    throw await refusalOf(deps, buyer, [one], error)
  })
  if (receipt.replayed) return { ...receipt, taken: null }
  await deps.onTaken([one.catalogItemId])
  return { ...receipt, taken: [one] }
}

function refuseDuplicates(lines: readonly BuyLine<PriceLimit>[]): void {
  const seen = new Set<string>()
  for (const { listing } of lines) {
    const key = 'id' in listing ? String(listing.id) : `${listing.market}:${listing.rawId}`
    if (seen.has(key)) refuse('DUPLICATE_LISTING_ID', { listingId: key })
    seen.add(key)
  }
}

async function readListings(
  deps: BuyDeps,
  lines: readonly BuyLine<PriceLimit>[],
): Promise<ListingForSale[]> {
  const ids = lines.flatMap(({ listing }) => ('id' in listing ? [listing.id] : []))
  const byId = new Map(
    (ids.length > 0 ? await deps.getListings(ids) : []).map((listing, i) => [ids[i], listing]),
  )
  const found: ListingForSale[] = []
  for (const { listing } of lines) {
    const read =
      'id' in listing
        ? byId.get(listing.id)
        : await deps.findListingByRawId(listing.market, listing.rawId)
    if (!read?.available || read.market !== (listing.market ?? read.market)) {
      return refuse('LISTING_NOT_FOUND', { listingId: nameOf(listing) })
    }
    // The same listing may have been named by its id and by its supplier's id.
    if (found.some((other) => other.id === read.id)) {
      refuse('DUPLICATE_LISTING_ID', { listingId: String(read.id) })
    }
    found.push(read)
  }
  const closed = found.find((listing) => !listing.marketAvailable)
  if (closed) refuse('MARKET_UNAVAILABLE', { market: closed.market, listingId: String(closed.id) })
  return found
}

export const nameOf = (listing: BuyLine['listing']): string =>
  'id' in listing ? String(listing.id) : `${listing.market}:${listing.rawId}`

function priced(
  buyer: Buyer,
  rate: bigint | null,
  line: BuyLine<PriceLimit>,
  listing: ListingForSale,
): NewItem {
  const { priceMills } = listing
  const listingPrice = priceListing(buyer, { priceMills, rate })
  const { houseFee, merchantFee, price } = listingPrice
  const mismatch = mismatchOf(line, listingPrice)
  if (mismatch !== null) {
    refuse('PRICE_MISMATCH', { listingId: String(listing.id), currentPriceCents: mismatch })
  }
  return {
    externalId: line.externalId,
    listingId: listing.id,
    market: listing.market,
    rawListingId: listing.rawId,
    catalogItemId: listing.itemId,
    description: listing.description,
    sourcingMills: listing.priceMills,
    price,
    houseFee,
    merchantFee,
  }
}

/** The price of the moment, as the limit names prices, when the limit refuses it. */
export function mismatchOf(
  { maxPrice, basePrice }: PriceLimit,
  { sourcing, price }: ListingPrice,
): Cents | null {
  if (maxPrice !== undefined) return price > maxPrice ? price : null
  return sourcing === basePrice ? null : sourcing
}

/** Where the items go: the trade URL of the request, else the primary one. */
export async function recipientOf(
  deps: Pick<BuyDeps, 'resolveTradeUrl'>,
  buyer: Buyer,
  order: { readonly tradeUrl: string | null; readonly requestId: string },
): Promise<{ url: string; platformId: string }> {
  if (order.tradeUrl !== null) {
    const { requestId } = order
    return deps.resolveTradeUrl(order.tradeUrl, { requestId, tenantId: buyer.tenantId })
  }
  return buyer.primaryTradeUrl ?? refuse('TRADEURL_REQUIRED')
}

/** The listing that another buyer took first, or null for any other error. */
function lostListing(error: unknown): string | null {
  if (sqlState(error) === 'PT410') return sqlDetail(error) ?? ''
  return violatedConstraint(error) === 'item_one_live_purchase' ? 'unknown' : null
}

async function refusalOf(
  deps: BuyDeps,
  buyer: Buyer,
  items: readonly Pick<NewItem, 'price'>[],
  error: unknown,
): Promise<unknown> {
  const ofAccount = accountRefusal(error) ?? limitRefusal(error)
  if (ofAccount) return ofAccount
  if (sqlState(error) === 'PT503') return new Refusal('SERVICE_DISABLED')
  if (sqlState(error) === 'PT409') return new Refusal('IDEMPOTENCY_CONFLICT')
  if (sqlState(error) === 'PT429') return tooManyWaiting(deps, error)
  const isTwice = ['item_one_live_purchase', 'supplier_order_custom_id'].includes(
    violatedConstraint(error) ?? '',
  )
  if (sqlState(error) === 'PT421' || isTwice) return boughtBefore(error)
  if (violatedConstraint(error) !== 'no_overdraft') return error
  return new Refusal('INSUFFICIENT_BALANCE', {
    requiredCents: sumCents(items.map((item) => item.price)),
    availableCents: await deps.balanceOf(buyer.accountId),
  })
}

/**
 * The tenant has too many items waiting at a market, or all tenants together have more than it takes in ten
 * minutes; they go out at the pace that the market allows.
 */
export function tooManyWaiting(
  { onRefusedAtDoor }: Pick<BuyDeps, 'onRefusedAtDoor'>,
  error: unknown,
): Refusal {
  const market = sqlDetail(error) ?? ''
  const hint = sqlHint(error)
  if (hint !== undefined) onRefusedAtDoor?.(market)
  const retryAfterSeconds = hint === undefined ? RETRY_WAITING_SECONDS : Number(hint)
  return new Refusal('MARKET_UNAVAILABLE', { market, retryAfterSeconds })
}
const RETRY_WAITING_SECONDS = 30

/** Orders under the external id were lost by a restore: see adopt.ts. */
export const boughtBefore = (error: unknown): Refusal =>
  new Refusal('MARKET_UNAVAILABLE', { market: sqlDetail(error) ?? '' })

interface Asked {
  readonly buyer: Buyer
  readonly order: { readonly externalId: string | null }
  readonly requestHash: Buffer
}

/** The first receipt under the external id of a request that was refused; null when there is none. */
export async function replayOf(
  db: Db,
  { buyer, order: { externalId }, requestHash }: Asked,
  error: unknown,
): Promise<Receipt | null> {
  if (!(error instanceof Refusal) || externalId === null || error.key === 'SERVICE_DISABLED')
    return null
  const { tenantId, accountId } = buyer
  const first = await findReplay(db, { tenantId, accountId, externalId })
  if (!first) return null
  if (!first.requestHash.equals(requestHash)) refuse('IDEMPOTENCY_CONFLICT')
  return first.receipt
}

/** What a replay under one external id must match: all the caller chose, the external id aside. */
export function requestHashOf(order: BuyOrder<PriceLimit>): Buffer {
  const request = [
    order.tradeUrl,
    order.items.map((line) => [
      nameOf(line.listing),
      line.maxPrice === undefined ? `exactly ${line.basePrice}` : String(line.maxPrice),
      line.externalId,
    ]),
  ]
  return createHash('sha256').update(JSON.stringify(request)).digest()
}
