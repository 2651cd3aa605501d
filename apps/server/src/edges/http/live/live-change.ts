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

export interface LiveChange {
  readonly event: ListingEvent
  readonly write: ListingWriter
  /** What those who come back are sent, by the key of their price tag; null: none has come. */
  frames: Map<string, Frame> | null
  /** The same for those who are not to have the listing any more. */
  removal: Frame | null
}

export const liveChangeOf = (event: ListingEvent, scope: LiveScope): LiveChange => ({
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

export function liveChangeText({ event, write }: LiveChange, tag: PriceTag): string {
  const { id, itemId, listing, appeared, atMs } = event
  if (listing === null) return frameText('market.remove', removedText(id, itemId), atMs)
  return frameText(appeared ? 'market.new' : 'market.update', write(listing, tag), atMs)
}

/** Made once for all who are not to have the listing any more, whatever became of it. */
export function removalFrame(change: LiveChange): Frame {
  const { id, itemId, atMs } = change.event
  change.removal ??= frameMadeLate(id, () =>
    frameText('market.remove', removedText(id, itemId), atMs),
  )
  return change.removal
}

/** Made once for all who see the same prices, when it is sent. */
export function liveChangeFrame(change: LiveChange, tag: PriceTag): Frame {
  change.frames ??= new Map()
  let frame = change.frames.get(tag.key)
  if (frame === undefined) {
    frame = frameMadeLate(change.event.id, () => liveChangeText(change, tag))
    change.frames.set(tag.key, frame)
  }
  return frame
}
