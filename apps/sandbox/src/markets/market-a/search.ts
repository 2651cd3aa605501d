import type { Listing } from '../../dataset/types.ts'
import { many, one, type Query } from '../../http/query.ts'
import type { MarketADeps } from './deps.ts'
import { chanceToTransfer, viewListing } from './listing-view.ts'
import { wrongCall } from './messages.ts'

const MOST_NAMES = 50
const MOST_NAMES_EXTENDED = 5

type Answer = Record<string, unknown>

export interface MarketASearch {
  byName(query: Query): Answer
  byNameSpecific(query: Query): Answer
  listAll(query: Query): Answer
}

export function createMarketASearch({ keeper }: MarketADeps): MarketASearch {
  const { dataset } = keeper
  // The grouped search goes on showing what has just gone, with a count of 0.
  const lastGone = new Map<string, Listing>()
  keeper.subscribe((change) => {
    if (change.kind !== 'removed' || change.listing.market !== 'market_a') return
    lastGone.set(change.listing.asset.item.marketHashName, change.listing)
  })

  return {
    byName(query) {
      const name = one(query, 'hash_name')
      if (name === undefined) return { ...wrongCall('hash_name is missing') }
      const groups = groupByPrice(dataset.listingsOf('market_a', name), lastGone.get(name))
      return { success: true, currency: 'USD', data: groups }
    },
    byNameSpecific(query) {
      const name = one(query, 'hash_name')
      if (name === undefined) return { ...wrongCall('hash_name is missing') }
      const withStickers = one(query, 'with_stickers') === '1'
      const listings = dataset.listingsOf('market_a', name)
      return {
        success: true,
        currency: 'USD',
        data: listings.map((listing) => viewListing(listing, withStickers)),
      }
    },
    listAll(query) {
      const isExtended = one(query, 'extended') === '1'
      const names = many(query, 'list_hash_name[]', 'list_hash_name')
      const most = isExtended ? MOST_NAMES_EXTENDED : MOST_NAMES
      if (names.length === 0 || names.length > most) {
        return { ...wrongCall(`list_hash_name takes 1 to ${most} names`) }
      }
      const data: Record<string, unknown> = {}
      for (const name of names) {
        data[name] = dataset.listingsOf('market_a', name).map((listing) => ({
          ...viewListing(listing, true),
          ...chanceFields(listing, isExtended),
        }))
      }
      return { success: true, currency: 'USD', data }
    },
  }
}

function chanceFields(listing: Listing, isExtended: boolean): Answer {
  const chance = chanceToTransfer(listing)
  return isExtended
    ? { percent_success: chance, average_time: listing.auto ? 30 : 180 }
    : { chance_to_transfer: chance }
}

function groupByPrice(listings: readonly Listing[], gone: Listing | undefined): Answer[] {
  const groups = new Map<string, Answer & { count: number }>()
  const groupOf = (listing: Listing) => {
    const { priceMills, asset } = listing
    const name = `${priceMills}_${asset.classId}_${asset.instanceId}`
    const group = groups.get(name) ?? {
      market_hash_name: asset.item.marketHashName,
      price: priceMills,
      class: Number(asset.classId),
      instance: Number(asset.instanceId),
      count: 0,
    }
    groups.set(name, group)
    return group
  }
  if (gone !== undefined) groupOf(gone)
  for (const listing of listings) groupOf(listing).count += 1
  return [...groups.values()]
}
