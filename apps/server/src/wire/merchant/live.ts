// What the sockets say: `{event, data, ts}` as text; events of a user have their `id` too.

import type { MarketListing } from '@tradepost/contract'
import type { Listing } from '#catalog'
import type { PriceTag } from '#pricing'
import { moneyNumber } from '../money.ts'
import { foundListingView, listingView } from './market.ts'

export const frameText = (event: string, dataText: string, ts: number, id?: string): string =>
  `{${id === undefined ? '' : `"id":${JSON.stringify(id)},`}"event":${JSON.stringify(event)},"data":${dataText},"ts":${ts}}`

/** The data of `market.remove`. */
export const removedText = (id: bigint, itemId: string | null): string =>
  JSON.stringify({ listingId: String(id), ...(itemId !== null && { itemId }) })

/** Writes a listing for the callers with a price tag. */
export type ListingWriter = (listing: Listing, tag: PriceTag) => string

/**
 * A MarketListing of the firehose: all that is written in the listing itself, and nothing beside it. A writer
 * is for one listing: what is the same for every caller, which is all but the price, it writes once.
 */
export function createFirehoseText(): ListingWriter {
  let parts: Parts | null = null
  return (listing, tag) => {
    parts ??= partsOf(listing, tag)
    return `${parts.head}${moneyNumber(tag.price(listing.priceMills))}${parts.tail}`
  }
}

/** A MarketListing as the routes answer it. */
export const listingText: ListingWriter = (listing, tag) =>
  JSON.stringify(listingView(listing, tag))

/** A row of GET /market/listings. */
export const foundListingText: ListingWriter = (listing, tag) =>
  JSON.stringify(foundListingView(listing, tag))

interface Parts {
  readonly head: string
  readonly tail: string
}

function partsOf(listing: Listing, tag: PriceTag): Parts {
  const {
    id,
    price: _,
    rarity: _1,
    collection: _2,
    fade: _3,
    hardened: _4,
    ...rest
  } = listingView(listing, tag) as MarketListing
  const shown = JSON.stringify({ ...rest, referencePrice: null })
  return { head: `{"id":${JSON.stringify(id)},"price":`, tail: `,${shown.slice(1)}` }
}
