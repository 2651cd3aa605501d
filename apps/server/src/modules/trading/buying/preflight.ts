// A buy that is only checked: everything that a buy checks is reported, and nothing is reserved.

import type { LookUpContext } from '#identity'
import type { Db } from '#infra/database/db'
import { type Cents, cents, sumCents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import { type ListingPrice, priceListing, rateFor } from '#pricing'
import { findReplay } from '#trades'
import {
  type BuyDeps,
  type Buyer,
  type BuyLine,
  type BuyOrder,
  type ListingForSale,
  mismatchOf,
  nameOf,
  requestHashOf,
} from './buy.ts'
import { wouldReachLimit } from './store/limits.ts'
import { findFullMarkets } from './store/waiting.ts'

export interface PreflightDeps extends Omit<BuyDeps, 'resolveTradeUrl' | 'onTaken'> {
  readonly db: Db
  resolveTradeUrl(url: string, context: LookUpContext): Promise<Recipient>
}

/** What the platform says of who stands behind a trade URL. */
export interface Recipient {
  readonly url: string
  readonly platformId: string
  readonly persona: { readonly personaName: string }
  readonly holdDays: number
  readonly probation: boolean
}

export interface TriedLine {
  readonly line: BuyLine
  /** Null when no such listing is known, or it is sold. */
  readonly listing: ListingForSale | null
  readonly price: ListingPrice | null
  /** Why a buy would be refused because of this line; null when it would not. */
  readonly refusal: string | null
}

export interface Preflight {
  readonly lines: readonly TriedLine[]
  readonly recipient: Recipient | null
  readonly recipientRefusal: string | null
  readonly balance: Cents
  /** The sum of the lines that pass; 0 for a replay, which takes nothing. */
  readonly required: Cents
  /** Each once, in the order of a buy's checks. */
  readonly refusals: readonly string[]
  readonly tradeId: string | null
}

export type TryBuy = (buyer: Buyer, order: BuyOrder) => Promise<Preflight>

export function createPreflight(deps: PreflightDeps): TryBuy {
  return async (buyer, order) => {
    const [isPaused, lines, recipient, balance, first] = await Promise.all([
      deps.isPaused(),
      tryLines(deps, buyer, order.items),
      tryRecipient(deps, buyer, order),
      deps.balanceOf(buyer.accountId),
      order.externalId === null
        ? null
        : findReplay(deps.db, { ...buyer, externalId: order.externalId }),
    ])
    const tried = { lines, ...recipient, balance, tradeId: first?.receipt.tradeId ?? null }
    const paused = isPaused ? 'SERVICE_DISABLED' : null
    if (first?.requestHash.equals(requestHashOf(order))) {
      // A buy with this body replays the first answer, whatever has become of its listings.
      return { ...tried, required: cents(0n), refusals: inOrder([paused]) }
    }
    const passing = lines.filter(({ refusal }) => refusal === null)
    const full = await findFullMarkets(
      deps.db,
      buyer,
      passing.flatMap(({ listing }) => (listing === null ? [] : [listing.market])),
    )
    const prices = passing.map(({ price }) => price?.price ?? cents(0n))
    const required = sumCents(prices)
    const usdPerEurMicros = await rateFor(deps, buyer)
    const isOverLimit = await wouldReachLimit(deps.db, buyer, {
      ...{ prices, usdPerEurMicros, at: deps.clock.now() },
    })
    return {
      ...tried,
      required,
      refusals: inOrder([
        paused,
        first === null ? null : 'IDEMPOTENCY_CONFLICT',
        ...lines.map(({ refusal }) => refusal),
        recipient.recipientRefusal,
        // The market is open, and has too many of the tenant's items waiting.
        full.length > 0 ? 'MARKET_UNAVAILABLE' : null,
        balance < required ? 'INSUFFICIENT_BALANCE' : null,
        isOverLimit ? 'SPENDING_LIMIT_REACHED' : null,
      ]),
    }
  }
}

async function tryLines(
  deps: PreflightDeps,
  buyer: Buyer,
  lines: readonly BuyLine[],
): Promise<TriedLine[]> {
  const rate = await rateFor(deps, buyer)
  const listings = await Promise.all(
    lines.map(async ({ listing }) =>
      'id' in listing
        ? ((await deps.getListings([listing.id]))[0] ?? null)
        : deps.findListingByRawId(listing.market, listing.rawId),
    ),
  )
  const seen = new Set<string>()
  return lines.map((line, i) => {
    const read = listings[i] ?? null
    const listing = read?.available === true ? read : null
    const price = listing && priceListing(buyer, { priceMills: listing.priceMills, rate })
    // The same listing may be named by its id and by its supplier's id.
    const key = read === null ? nameOf(line.listing) : String(read.id)
    const isRepeated = seen.has(key)
    seen.add(key)
    return {
      line,
      listing,
      price,
      refusal: isRepeated ? 'DUPLICATE_LISTING_ID' : refusalOf(line, listing, price),
    }
  })
}

function refusalOf(
  line: BuyLine,
  listing: ListingForSale | null,
  price: ListingPrice | null,
): string | null {
  if (listing === null || price === null) return 'LISTING_NOT_FOUND'
  if (!listing.marketAvailable) return 'MARKET_UNAVAILABLE'
  return mismatchOf(line, price) === null ? null : 'PRICE_MISMATCH'
}

/** A stored trade URL is asked about too: the platform may have changed its mind since. */
async function tryRecipient(
  deps: PreflightDeps,
  buyer: Buyer,
  order: BuyOrder,
): Promise<Pick<Preflight, 'recipient' | 'recipientRefusal'>> {
  const url = order.tradeUrl ?? buyer.primaryTradeUrl?.url
  if (url === undefined) return { recipient: null, recipientRefusal: 'TRADEURL_REQUIRED' }
  const context = { requestId: order.requestId, tenantId: buyer.tenantId }
  try {
    return { recipient: await deps.resolveTradeUrl(url, context), recipientRefusal: null }
  } catch (error) {
    if (!(error instanceof Refusal) || error.key === 'VALIDATION_FAILED') throw error
    return { recipient: null, recipientRefusal: error.key }
  }
}

/** A buy looks at the shape first, then at whether the listings are known, open and cheap enough. */
const CHECKS = [
  'SERVICE_DISABLED',
  'DUPLICATE_LISTING_ID',
  'IDEMPOTENCY_CONFLICT',
  'LISTING_NOT_FOUND',
  'MARKET_UNAVAILABLE',
  'PRICE_MISMATCH',
]
const placeOf = (key: string): number => {
  const place = CHECKS.indexOf(key)
  return place < 0 ? CHECKS.length : place
}
const inOrder = (keys: readonly (string | null)[]): string[] =>
  [...new Set(keys.filter((key) => key !== null))].sort((a, b) => placeOf(a) - placeOf(b))
