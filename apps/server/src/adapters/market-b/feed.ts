import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import type { FeedEvent, MarketFeed, SourceListing } from '#ports/catalog'
import { createAttachment } from '../shared/attachment.ts'
import { type Channel, createChannel } from '../shared/channel.ts'
import type { FeedCounters, Log, Rng } from '../shared/feed-counters.ts'
import type { GameBook } from '../shared/game-book.ts'
import { pause } from '../shared/pause.ts'
import { fieldsOf, own, textOf } from '../shared/reader.ts'
import { createRecentChanges } from '../shared/recent-changes.ts'
import { keepSocket, type SocketLine } from '../shared/socket.ts'
import type { Calls } from './calls.ts'
import { type ListingChange, readChange } from './change.ts'
import { DETAIL_BATCH, readDetails } from './details.ts'
import { CONNECT, type Frame, PONG, readFrame, SUBSCRIBE } from './frames.ts'
import { isSold } from './listing.ts'
import type { MarketBSettings } from './settings.ts'
import { readSnapshot } from './snapshot.ts'

export interface FeedDeps {
  readonly settings: MarketBSettings
  readonly calls: Calls
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Log
  readonly counters: FeedCounters
  readonly gameBook: GameBook
  /** An order of ours moved: a poll now would find something. Never a fact by itself. */
  readonly onWake: () => void
  readonly health: MarketFeed['health']
}

const CHUNK_ROWS = 1_000
/** Two minutes of the busiest hour that was measured (430 events a second). */
const EVENTS_KEPT = 50_000
const SOCKET_SILENCE_MS = 45_000
/** The snapshot is made once a minute, says nothing of when, and takes a while to make. */
const SNAPSHOT_MOST_AGE_MS = 90_000
const DETAILS_WANTED_MOST = 5_000

/**
 * Market B's listings: a file as the snapshot and a socket for what happens after it. The socket has no
 * sequence and loses things; new listings are completed by searches, as far as their
 * small budget goes, and by the next snapshot.
 */
export function createFeed(deps: FeedDeps): MarketFeed {
  const { settings, counters } = deps
  const recent = createRecentChanges(deps.clock)
  const attachment = createAttachment()

  async function* snapshot(signal: AbortSignal): AsyncGenerator<readonly SourceListing[]> {
    await attachment.beforeSnapshot(signal)
    await deps.gameBook.refresh()
    const overlay = recent.over(deps.clock.now().getTime() - SNAPSHOT_MOST_AGE_MS)
    let chunk: SourceListing[] = []
    for await (const row of readSnapshot(settings, deps.gameBook, signal)) {
      if (row === null) counters.droppedRow()
      const listing = row === null ? null : overlay.apply(row)
      if (listing === null || chunk.push(listing) < CHUNK_ROWS) continue
      yield chunk
      chunk = []
    }
    chunk.push(...overlay.arrived())
    if (chunk.length > 0) yield chunk
  }

  async function* changes(outer: AbortSignal): AsyncGenerator<FeedEvent> {
    const stopped = new AbortController()
    const signal = AbortSignal.any([outer, stopped.signal])
    const channel = createChannel<FeedEvent>(EVENTS_KEPT)
    const wanted = new Map<string, string>()
    attachment.connecting()

    const emit = (event: FeedEvent): void => {
      if (event.kind === 'gap') counters.gap()
      else {
        counters.change(event.kind)
        recent.note(event)
      }
      push(channel, event)
    }
    const onEvent = ({ name, data }: Extract<Frame, { kind: 'event' }>): void => {
      if (name === 'steamTrade') deps.onWake()
      if (name === 'subscribed' && attachment.connected()) emit({ kind: 'gap' })
      const change = readChange(name, data, settings)
      if (change === 'unreadable') counters.droppedRow()
      else if (change !== null) {
        emit(change)
        requestDetails(wanted, change, data)
      }
    }
    const socket = keepSocket(
      {
        address: async () => ({
          url: `${settings.socketUrl}?EIO=4&transport=websocket`,
          headers: { authorization: settings.apiKey },
        }),
        opened: () => {},
        text(text, line) {
          const frame = readFrame(text)
          if (frame.kind === 'event') onEvent(frame)
          else obey(frame, line)
        },
      },
      { name: 'market_b', silenceMs: SOCKET_SILENCE_MS, ...deps },
      signal,
    )
    const details = fillDetails(wanted, emit, signal)
    outer.addEventListener('abort', channel.close, { once: true })
    try {
      yield* channel.read()
    } finally {
      outer.removeEventListener('abort', channel.close)
      stopped.abort()
      attachment.ended()
      await Promise.all([socket, details])
    }
  }

  /** Reads the rest of what is known of new listings: seed, inspect token, pictures of stickers. */
  const fillDetails = async (
    wanted: Map<string, string>,
    emit: (event: FeedEvent) => void,
    signal: AbortSignal,
  ): Promise<void> => {
    while (!signal.aborted) {
      await pause(settings.detailSpacingMs, signal)
      if (wanted.size === 0 || signal.aborted) continue
      const names = [...new Set(wanted.values())].slice(0, DETAIL_BATCH)
      const asked = new Set<string>()
      for (const [rawId, name] of wanted) if (names.includes(name)) asked.add(rawId)
      const listings = await readDetails(deps, names, { requestId: newId() })
      // A failed search is not repeated: the next snapshot knows these details too.
      for (const listing of listings) {
        const { rawId } = listing
        if (!asked.has(rawId) || !wanted.has(rawId)) continue
        emit(isSold(listing, settings) ? { kind: 'upsert', listing } : { kind: 'remove', rawId })
      }
      for (const rawId of asked) wanted.delete(rawId)
    }
  }

  return {
    id: 'market_b',
    resyncMs: settings.resyncMs,
    snapshot,
    changes,
    health: deps.health,
  }
}

function push(channel: Channel<FeedEvent>, event: FeedEvent): void {
  // A reader that is too slow for the feed reads the snapshot again instead.
  if (!channel.push(event)) channel.replaceAll({ kind: 'gap' })
}

function obey(frame: Exclude<Frame, { kind: 'event' }>, line: SocketLine): void {
  if (frame.kind === 'open') line.send(CONNECT)
  else if (frame.kind === 'connected') line.send(SUBSCRIBE)
  else if (frame.kind === 'ping') line.send(PONG)
  else if (frame.kind === 'refused') line.drop('refused')
}

/** Remembers of which listings more should be read: those that are new and still there. */
function requestDetails(wanted: Map<string, string>, change: ListingChange, data: unknown): void {
  if (change.kind === 'remove') wanted.delete(change.rawId)
  if (change.kind !== 'upsert' || wanted.size >= DETAILS_WANTED_MOST) return
  // Searches want the market's own spelling, with the phase in it.
  const name = textOf(own(fieldsOf(data) ?? {}, 'name'))
  if (name !== null) wanted.set(change.listing.rawId, name)
}
