import type { CatalogueItem, Listing } from '../world/types.ts'

/** A listing as text, with its catalogue item as a reference: the catalogue is never stored. */
export interface ListingCodec {
  encode(listing: Listing): string
  decode(text: string): Listing
}

export function createListingCodec(catalogue: readonly CatalogueItem[]): ListingCodec {
  const items = new Map(catalogue.map((item) => [itemKey(item), item]))
  return {
    encode(listing) {
      const { item, ...asset } = listing.asset
      return JSON.stringify({ ...listing, asset: { ...asset, item: itemKey(item) } })
    },
    decode(text) {
      const stored = JSON.parse(text) as Listing & { asset: { item: unknown } }
      const item = items.get(String(stored.asset.item))
      if (item === undefined) {
        throw new Error(`the catalogue has no "${String(stored.asset.item)}" any more`)
      }
      return { ...stored, asset: { ...stored.asset, item } }
    },
  }
}

function itemKey(item: CatalogueItem): string {
  return item.phase === null ? item.marketHashName : `${item.marketHashName}\u0000${item.phase}`
}
