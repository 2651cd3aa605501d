import type { FeedEvent } from '#ports/catalog'
import { fieldsOf, idOf, own, priceOf } from '../shared/reader.ts'
import { isLocked, isSold, readFeedItem } from './listing.ts'

export type ListingChange = Exclude<FeedEvent, { kind: 'gap' }>

/** What an event of the socket says of a listing; null when it is about something else. */
export function readChange(
  name: string,
  data: unknown,
  settings: { readonly manualSellers: boolean },
): ListingChange | 'unreadable' | null {
  if (name !== 'new' && name !== 'update' && name !== 'removed') return null
  const fields = fieldsOf(data)
  const rawId = fields === null ? null : idOf(own(fields, 'item_id'))
  if (fields === null || rawId === null) return 'unreadable'
  // Gone for us: sold, its seller offline, or trade locked. It may come back as new.
  if (name === 'removed' || isLocked(own(fields, 'unlock_at'))) return { kind: 'remove', rawId }
  if (name === 'update') {
    // Only the price: the event says less of the listing than what is known of it already.
    const priceMills = priceOf(own(fields, 'price'))
    return priceMills === null ? 'unreadable' : { kind: 'price', rawId, priceMills }
  }
  const listing = readFeedItem(fields)
  if (listing === null) return 'unreadable'
  // It may have been another's to send before.
  return isSold(listing, settings) ? { kind: 'upsert', listing } : { kind: 'remove', rawId }
}
