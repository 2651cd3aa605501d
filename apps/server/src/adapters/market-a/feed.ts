import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import type { FeedEvent, MarketFeed, SourceListing } from '#ports/catalog'
import { createAttachment } from '../shared/attachment.ts'
import { createChannel } from '../shared/channel.ts'
import type { FeedCounters, Log, Rng } from '../shared/feed-counters.ts'
import type { GameBook } from '../shared/game-book.ts'
import { pause } from '../shared/pause.ts'
import { own, servedOf, textOf } from '../shared/reader.ts'
import { createRecentChanges } from '../shared/recent-changes.ts'
import { keepSocket } from '../shared/socket.ts'
import type { KeyedCalls } from './calls.ts'
import { takeBatch } from './changed-names.ts'
import { ExportRebuilt, readExportFile, readExportIndex } from './export.ts'
import { createListingBook, type ListingBook } from './listing-book.ts'
import { createNameBook, type NameBook } from './name-book.ts'
import { priceSocket } from './price-socket.ts'
import { searchByNames } from './search.ts'
import type { MarketASettings } from './settings.ts'

export interface FeedDeps {
  readonly settings: MarketASettings
  readonly calls: KeyedCalls
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Log
  readonly counters: FeedCounters
  readonly gameBook: GameBook
  readonly health: MarketFeed['health']
}

const CHUNK_ROWS = 1_000
const EVENTS_KEPT = 200_000
const CHANGED_NAMES_KEPT = 20_000
const REBUILDS_BORNE = 3
const SOCKET_SILENCE_MS = 60_000
const TOKEN_PATIENCE_MS = 30_000
const REREAD_PATIENCE_MS = 60_000

/**
 * Market A's listings: the export as a snapshot, the price socket for the names to read again. Re-reads
 * are gathered and paced far below the call budget, which belongs to purchases.
 */
export function createFeed(deps: FeedDeps): MarketFeed {
  const { settings, counters } = deps
  const recent = createRecentChanges(deps.clock)
  const attachment = createAttachment()
  /** Of the last export that was read to its end. */
  let book: ListingBook | null = null
  /** Where the market says nothing of the seller, the purchase itself still refuses an unlikely one. */
  const isLikely = ({ chance = null }: { readonly chance?: number | null }): boolean =>
    chance === null || chance >= settings.leastChance

  async function* snapshot(signal: AbortSignal): AsyncGenerator<readonly SourceListing[]> {
    await attachment.beforeSnapshot(signal)
    await deps.gameBook.refresh()
    const fresh = createListingBook(deps.gameBook)
    let chunk: SourceListing[] = []
    let rows = 0
    for await (const listing of readExport(signal)) {
      rows += 1
      if (!isLikely(listing)) continue
      fresh.put(listing)
      if (chunk.push(listing) < CHUNK_ROWS) continue
      yield chunk
      chunk = []
    }
    // A market that suddenly sells nothing at all has lost its data, not its sellers.
    if (rows === 0) throw new Error("market A's export is empty")
    if (chunk.length > 0) yield chunk
    book = fresh
  }

  async function* readExport(signal: AbortSignal): AsyncGenerator<SourceListing> {
    for (let rebuilds = 0; ; rebuilds++) {
      const index = await readExportIndex(settings.baseUrl, signal)
      const overlay = recent.over(index.madeAtMs)
      try {
        for (const file of index.files) {
          for await (const row of readExportFile(settings.baseUrl, file, {
            index,
            book: deps.gameBook,
            signal,
          })) {
            if (row === null) counters.droppedRow()
            const listing = row === null ? null : overlay.apply(row)
            if (listing !== null) yield listing
          }
        }
        yield* overlay.arrived()
        return
      } catch (error) {
        // A listing that went away between two builds stays until the next resync.
        if (!(error instanceof ExportRebuilt) || rebuilds >= REBUILDS_BORNE) throw error
      }
    }
  }

  async function* changes(outer: AbortSignal): AsyncGenerator<FeedEvent> {
    const stopped = new AbortController()
    const signal = AbortSignal.any([outer, stopped.signal])
    const channel = createChannel<FeedEvent>(EVENTS_KEPT)
    const changedNames = new Set<string>()
    attachment.connecting()

    const emit = (event: FeedEvent): void => {
      if (event.kind === 'gap') counters.gap()
      else counters.change(event.kind)
      if (event.kind !== 'gap') recent.note(event)
      if (!channel.push(event)) channel.replaceAll({ kind: 'gap' })
    }
    const names = createNameBook({ settings, log: deps.log, clock: deps.clock, signal })
    const socket = keepSocket(
      priceSocket(settings.socketUrl, {
        token: () => readToken(deps.calls, settings),
        subscribed() {
          if (attachment.connected()) emit({ kind: 'gap' })
        },
        nameChanged(nameId) {
          changedNames.add(nameId)
          if (changedNames.size <= CHANGED_NAMES_KEPT) return
          changedNames.clear()
          emit({ kind: 'gap' })
        },
      }),
      { name: 'market_a', silenceMs: SOCKET_SILENCE_MS, ...deps },
      signal,
    )
    const rereads = rereadChanged({ changedNames, names, emit, signal })
    outer.addEventListener('abort', channel.close, { once: true })
    try {
      yield* channel.read()
    } finally {
      outer.removeEventListener('abort', channel.close)
      stopped.abort()
      attachment.ended()
      await Promise.all([socket, rereads])
    }
  }

  const rereadChanged = async ({
    changedNames,
    names,
    emit,
    signal,
  }: {
    readonly changedNames: Set<string>
    readonly names: NameBook
    readonly emit: (event: FeedEvent) => void
    readonly signal: AbortSignal
  }): Promise<void> => {
    while (!signal.aborted) {
      await pause(settings.reReadSpacingMs, signal)
      // Beside no book every listing of a name is new: what changed waits until there is one.
      if (book === null) continue
      const batch = takeBatch(changedNames, names, book)
      if (batch.size === 0 || signal.aborted) continue
      const found = await searchByNames(deps.calls, [...batch.keys()], {
        urgency: 're-read',
        patienceMs: REREAD_PATIENCE_MS,
        deadlineMs: settings.callDeadlineMs,
        context: { requestId: newId() },
      })
      for (const [name, nameId] of batch) {
        const listings = found?.get(name)
        if (listings === undefined) changedNames.add(nameId)
        else {
          // A listing whose seller no longer delivers often enough is gone for us.
          for (const change of book.compare(name, listings.filter(isLikely))) emit(change)
        }
      }
    }
  }

  return {
    id: 'market_a',
    resyncMs: settings.resyncMs,
    snapshot,
    changes,
    health: deps.health,
  }
}

async function readToken(calls: KeyedCalls, settings: MarketASettings): Promise<string | null> {
  const outcome = await calls.call({
    method: 'get-ws-token',
    urgency: 'look-up',
    patienceMs: TOKEN_PATIENCE_MS,
    deadlineMs: settings.callDeadlineMs,
    context: { requestId: newId() },
  })
  const fields = outcome.kind === 'answer' ? servedOf(outcome) : null
  return fields === null ? null : textOf(own(fields, 'token'))
}
