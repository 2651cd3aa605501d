import type { CatalogueItem, Listing } from '../dataset/types.ts'

/** A listing as text. It comes back with the catalogue's own item, not with a copy of it. */
export interface ListingCodec {
  encode(listing: Listing): string
  decode(text: string): Listing
}

export function createListingCodec(catalogue: readonly CatalogueItem[]): ListingCodec {
  const items = new Map(catalogue.map((item) => [itemKey(item), item]))
  return {
    encode: (listing) => JSON.stringify(listing),
    decode(text) {
      const listing = JSON.parse(text) as Listing
      // The stored copy serves when a later catalogue does not have the item any more: an order of
      // long ago must not keep the sandbox from starting.
      const item = items.get(itemKey(listing.asset.item)) ?? listing.asset.item
      return { ...listing, asset: { ...listing.asset, item } }
    },
  }
}

function itemKey(item: CatalogueItem): string {
  return item.phase === null ? item.marketHashName : `${item.marketHashName}\u0000${item.phase}`
}
