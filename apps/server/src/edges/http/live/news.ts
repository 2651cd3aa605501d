// One event of the market for the sockets of one scope, with what was written of it, which goes when the
// event goes. A `WeakMap` by event would do the same, but V8 marks its values while nothing else runs.
import type { LiveScope } from '@tradepost/contract'
import type { ListingEvent } from '#catalog'
import { unreachable } from '#kernel/assert'
import type { PriceTag } from '#pricing'
import {
  createFirehoseText,
  foundListingText,
  frameText,
  type ListingWriter,
  listingText,
  removedText,
} from '#wire/merchant/live'
import { type Frame, frameMadeLate } from './frames.ts'

export interface News {
  readonly event: ListingEvent
  readonly write: ListingWriter
  /** What those who come back are sent, by the key of their price tag; null: none has come. */
  frames: Map<string, Frame> | null
  /** The same for those who are not to have the listing any more. */
  removal: Frame | null
}

export const newsOf = (event: ListingEvent, scope: LiveScope): News => ({
  event,
  write: writerFor(scope),
  frames: null,
  removal: null,
})

function writerFor(scope: LiveScope): ListingWriter {
  switch (scope) {
    case 'all':
      return createFirehoseText()
    case 'watchlist':
      return listingText
    case 'filter':
      return foundListingText
    default:
      return unreachable(scope)
  }
}

export function newsText({ event, write }: News, tag: PriceTag): string {
  const { id, itemId, listing, appeared, atMs } = event
  if (listing === null) return frameText('market.remove', removedText(id, itemId), atMs)
  return frameText(appeared ? 'market.new' : 'market.update', write(listing, tag), atMs)
}

/** Made once for all who are not to have the listing any more, whatever became of it. */
export function removalFrame(news: News): Frame {
  const { id, itemId, atMs } = news.event
  news.removal ??= frameMadeLate(id, () =>
    frameText('market.remove', removedText(id, itemId), atMs),
  )
  return news.removal
}

/** Made once for all who see the same prices, when it is sent. */
export function newsFrame(news: News, tag: PriceTag): Frame {
  news.frames ??= new Map()
  let frame = news.frames.get(tag.key)
  if (frame === undefined) {
    frame = frameMadeLate(news.event.id, () => newsText(news, tag))
    news.frames.set(tag.key, frame)
  }
  return frame
}
