// GET /market/listings
import { type MarketListingSort, merchantRoutes } from '@tradepost/contract'
import type { CatalogueView, ListingPlace, ListingsView } from '#catalog'
import { foundListingView, type ItemTexts } from '#wire/merchant/market'
import { refuseField } from '../../shared/failure.ts'
import { checkListingFilter, termsFor } from '../../shared/market/listing-filter.ts'
import type { PriceTags } from '../../shared/market/price-tags.ts'
import { type MerchantOperations, operation } from '../operation.ts'

export interface MarketListingsDeps {
  readonly view: CatalogueView
  readonly listings: Pick<ListingsView, 'list'>
  readonly priceTags: PriceTags<ItemTexts>
}

export const createMarketListingsOperation = ({
  view,
  listings,
  priceTags,
}: MarketListingsDeps): MerchantOperations['listMarketListings'] =>
  operation(merchantRoutes.listMarketListings, async ({ caller, query }) => {
    const { sort, cursor, limit, ...filter } = query
    const checked = checkListingFilter(view, filter)
    const after = cursor === undefined ? null : (placeIn(cursor, sort) ?? refuseCursor())
    const { tag } = await priceTags(caller.account)
    const { rows, next } = await listings.list(caller.account.tenantId, {
      items: view.select(checked.items),
      terms: termsFor(checked, tag),
      upMarkets: view.upMarkets,
      order: sort,
      ...{ after, limit },
    })
    return {
      items: rows.map((listing) => foundListingView(listing, tag)),
      nextCursor: next === null ? null : cursorOf(next, sort),
    }
  })

/** A place in an order, and not a row: the listing that was last may be gone. */
const cursorOf = ({ key, id }: ListingPlace, sort: MarketListingSort): string =>
  Buffer.from(`${sort} ${key} ${id}`).toString('base64url')

const CURSOR = /^(\w+) (\d+(?:\.\d+)?(?:e-\d+)?) (\d+)$/

/** Null for a text that is no cursor of this sort. */
function placeIn(cursor: string, sort: MarketListingSort): ListingPlace | null {
  const [, ofSort, key, id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (ofSort !== sort) return null
  const place = { key: Number(key), id: Number(id) }
  return cursorOf(place, sort) === cursor ? place : null
}

const refuseCursor = (): never =>
  refuseField({
    ...{ in: 'query', pointer: '/cursor', rule: 'cursor' },
    message: 'must be the nextCursor of a response with the same sort',
  })
