// From a market's feed to our tables. Feeds are lossy: live changes are applied as they come, and a
// snapshot of everything corrects what they left out.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { mills } from '#kernel/money'
import {
  type AcceptedListing,
  acceptListing,
  isPrice,
  isRawId,
  type RejectReason,
} from './accept-listing.ts'
import { GAME } from './item.ts'
import { createItemNames, type ItemNames } from './item-names.ts'
import { hashOfListing, type SaidListing } from './listing-hash.ts'
import type { FeedEvent, MarketId, SourceListing } from './ports.ts'
import { createSaidBefore, type SaidBefore } from './said-before.ts'
import { changeCatalog, noteListingChange } from './store/change.ts'
import {
  type Batch,
  listSaid,
  lockListings,
  removeListings,
  type Touched,
  updatePrices,
  upsertListings,
} from './store/feeds.ts'
import { itemsVersion, listItemNames } from './store/items.ts'
import { insertStubs, noteUnknownNames } from './store/lists.ts'
import { noteSnapshot } from './store/markets.ts'
import { adjustStock, recountStock, type StockMove } from './store/stock.ts'
import { stubOf, type UnknownName } from './stub.ts'

export interface IngestReport {
  readonly inserted: number
  readonly updated: number
  readonly removed: number
  /** Listings and events that were not believed. */
  readonly dropped: Readonly<Record<RejectReason, number>>
}

export interface SnapshotReport extends IngestReport {
  readonly seen: number
  /** Of these a recent live change says something else than the snapshot; the change is believed. */
  readonly contested: number
  /** It lacked nearly everything, which is more likely the market's mistake: nothing was removed. */
  readonly suspicious: boolean
  /** Items that were made of names which no item has. */
  readonly stubs: number
}

/** One market's way into the catalog. One instance at a time may write for a market. */
export interface MarketIngest {
  /** Applies a batch of live changes; of several about one listing only the sum counts. */
  applyChanges(events: readonly FeedEvent[]): Promise<IngestReport>
  /** Reads every listing of the market, and removes those that it no longer has. */
  applySnapshot(chunks: AsyncIterable<readonly SourceListing[]>): Promise<SnapshotReport>
}

export interface IngestDeps {
  readonly db: Db
  readonly clock: Clock
  readonly market: MarketId
}

/** A market prepares its snapshot some time before we read it: until then live changes are newer. */
export const SNAPSHOT_AGE_MS = 120_000
const CHUNK = 1000
const NAMES_RELOAD_MS = 30_000
const SUSPICIOUS_SHARE = 0.9
const SUSPICIOUS_FROM = 500
/** In one read; the others are noted in the next one. */
const MOST_UNKNOWN_NAMES = 2000
const UNKNOWN_NAMES_KEPT_MS = 7 * 24 * 3_600_000

export function createMarketIngest({ db, clock, market }: IngestDeps): MarketIngest {
  const inTurn = createTurns()
  const liveChanges = new Map<string, LiveChange>()
  const loadNames = createNamesLoader({ db, clock })
  let wasSuspicious = false
  /** What the snapshot shows differs from a recent live change; null: it does not show the listing. */
  const isContested = (rawId: string, priceMills: bigint | null): boolean => {
    const live = liveChanges.get(rawId)
    return live !== undefined && live.priceMills !== priceMills
  }

  const write = (changes: Changes): Promise<Counts> =>
    changeCatalog(db, async (tx, seq) => {
      const batch: Batch = { market, seq, at: clock.now() }
      if (kindsOf(changes) > 1) await lockListings(tx, market, rawIdsOf(changes))
      const upserted = await upsertListings(tx, batch, changes.upserts)
      const repriced = await updatePrices(tx, batch, changes.prices)
      const removed = await removeListings(tx, batch, changes.removals)
      const touched = [...repriced, ...removed]
      await adjustStock(tx, batch, [
        ...upserted.moves,
        ...repriced.flatMap((listing) => moveOf(listing, 0)),
        ...removed.flatMap((listing) => moveOf(listing, -1)),
      ])
      await recountStock(tx, seq, upserted.leftItems)
      await noteListingChange(tx, batch, {
        appeared: upserted.appeared,
        changed: [
          ...upserted.changed,
          ...touched.filter(({ taken }) => !taken).map(({ id }) => id),
        ],
      })
      return {
        inserted: upserted.inserted,
        updated: upserted.updated + repriced.length,
        removed: removed.length,
      }
    })

  return {
    async applyChanges(events) {
      const nowMs = clock.now().getTime()
      for (const event of events) {
        const rawId = rawIdOf(event)
        if (event.kind === 'gap' || rawId === null) continue
        liveChanges.set(rawId, liveChangeOf(event, nowMs, liveChanges.get(rawId)))
      }
      return inTurn(async () => {
        const report = createReport()
        let changes = coalesce(events, await loadNames(), report)
        if (report.dropped['unknown-item'] > 0 && (await loadNames.sometimesAfresh())) {
          report.dropped = createReport().dropped
          changes = coalesce(events, await loadNames(), report)
        }
        if (kindsOf(changes) > 0) report.add(await write(changes))
        return report
      }).catch((error) => {
        // Changes that were not written must not outvote the snapshot that will make up for it.
        for (const event of events) liveChanges.delete(rawIdOf(event) ?? '')
        throw error
      })
    },

    async applySnapshot(chunks) {
      forgetBefore(liveChanges, clock.now().getTime() - SNAPSHOT_AGE_MS)
      await loadNames.afresh()
      const report = createReport()
      // What is written meanwhile is in `liveChanges`.
      const before = await readSaid(db, market)
      const live = before.size
      const unknown = new Map<string, UnknownName>()
      let seen = 0
      let contested = 0
      // Where little changed, a batch is of many chunks: each is a commit of its own.
      const different = new Map<string, SaidListing>()
      // One batch is written while the next one is read.
      let writing: Promise<void> = Promise.resolve()
      const writeDifferent = async (): Promise<void> => {
        await writing
        const listings = [...different.values()]
        different.clear()
        writing = inTurn(async () => {
          // A live change may have come since the snapshot showed them.
          const upserts = listings.filter(
            ({ rawId, priceMills }) => !isContested(rawId, priceMills),
          )
          contested += listings.length - upserts.length
          for (const part of slices(upserts, CHUNK)) {
            report.add(await write({ ...NO_CHANGES, upserts: part }))
          }
        })
        // Awaited before the next one; a failure must not end the process before that.
        writing.catch(() => {})
      }
      const readAll = async (): Promise<void> => {
        for await (const chunk of chunks) {
          for (const listing of acceptAll(chunk, await loadNames(), { report, unknown })) {
            const { rawId, priceMills } = listing
            const saidBefore = before.show(rawId)
            seen++
            if (isContested(rawId, priceMills)) {
              contested++
              continue
            }
            const said = hashOfListing(listing)
            if (said !== saidBefore) different.set(rawId, { ...listing, said })
          }
          if (different.size >= CHUNK) await writeDifferent()
        }
        await writeDifferent()
      }
      await readAll().finally(() => writing)
      const missing = [...before.missing()]
      for (const [rawId, { isOffer }] of liveChanges) if (isOffer && !before.has(rawId)) contested++
      const suspicious =
        !wasSuspicious && live >= SUSPICIOUS_FROM && missing.length > live * SUSPICIOUS_SHARE
      wasSuspicious = suspicious
      for (const part of slices(suspicious ? [] : missing, CHUNK)) {
        await inTurn(async () => {
          const removals = part.filter((rawId) => !isContested(rawId, null))
          contested += part.length - removals.length
          if (removals.length > 0) report.add(await write({ ...NO_CHANGES, removals }))
        })
      }
      if (!suspicious) await noteSnapshot(db, market, clock.now())
      const stubs = suspicious ? 0 : await makeStubs({ db, clock }, [...unknown.values()])
      return { ...report, seen, contested, suspicious, stubs }
    },
  }
}

/** One that is already sold was not in stock. */
const moveOf = ({ itemId, delivery, taken }: Touched, by: StockMove['by']): StockMove[] =>
  taken ? [] : [{ itemId, delivery, by }]

type ListingEvent = Exclude<FeedEvent, { kind: 'gap' }>

interface Changes {
  readonly upserts: readonly SaidListing[]
  readonly prices: readonly {
    readonly rawId: string
    readonly priceMills: AcceptedListing['priceMills']
  }[]
  readonly removals: readonly string[]
}
const NO_CHANGES: Changes = { upserts: [], prices: [], removals: [] }

const kindsOf = (changes: Changes): number =>
  Object.values(changes).filter((ofKind) => ofKind.length > 0).length

const rawIdsOf = ({ upserts, prices, removals }: Changes): string[] => [
  ...upserts.map(({ rawId }) => rawId),
  ...prices.map(({ rawId }) => rawId),
  ...removals,
]

/** What a batch of live events comes to for each listing, in the order in which they came. */
function coalesce(events: readonly FeedEvent[], names: ItemNames, report: Report): Changes {
  const upserts = new Map<string, AcceptedListing>()
  const prices = new Map<string, Changes['prices'][number]>()
  const removals = new Set<string>()
  for (const event of events) {
    if (event.kind === 'upsert') {
      const accepted = acceptListing(event.listing, names)
      if (typeof accepted === 'string') {
        report.dropped[accepted]++
        continue
      }
      upserts.set(accepted.rawId, accepted)
      prices.delete(accepted.rawId)
      removals.delete(accepted.rawId)
    } else if (event.kind === 'price') {
      const { rawId, priceMills } = event
      if (!isRawId(rawId) || !isPrice(priceMills)) {
        report.dropped[isRawId(rawId) ? 'price' : 'form']++
        continue
      }
      const known = upserts.get(rawId)
      if (known !== undefined) upserts.set(rawId, { ...known, priceMills: mills(priceMills) })
      else if (!removals.has(rawId)) prices.set(rawId, { rawId, priceMills: mills(priceMills) })
    } else if (event.kind === 'remove') {
      if (!isRawId(event.rawId)) {
        report.dropped.form++
        continue
      }
      removals.add(event.rawId)
      upserts.delete(event.rawId)
      prices.delete(event.rawId)
    }
  }
  return {
    upserts: Array.from(upserts.values(), (one) => ({ ...one, said: hashOfListing(one) })),
    prices: [...prices.values()],
    removals: [...removals],
  }
}

/** Of a listing that appears twice the last counts. */
function acceptAll(
  listings: readonly SourceListing[],
  names: ItemNames,
  { report, unknown }: { readonly report: Report; readonly unknown: Map<string, UnknownName> },
): AcceptedListing[] {
  const accepted = new Map<string, AcceptedListing>()
  for (const listing of listings) {
    const one = acceptListing(listing, names)
    if (typeof one !== 'string') {
      accepted.set(one.rawId, one)
      continue
    }
    report.dropped[one]++
    if (one !== 'unknown-item' || unknown.size >= MOST_UNKNOWN_NAMES) continue
    const { marketHashName, phase } = listing
    // Of a name that an item has, only the phase is not known.
    if (!names.knows(marketHashName))
      unknown.set(`${marketHashName}\0${phase}`, { marketHashName, phase })
  }
  return [...accepted.values()]
}

/** One read may be wrong about a name; what two of them show is for sale. Answers how many are new. */
async function makeStubs(
  { db, clock }: Pick<IngestDeps, 'db' | 'clock'>,
  unknown: readonly UnknownName[],
): Promise<number> {
  if (unknown.length === 0) return 0
  const at = clock.now()
  const forgetBefore = new Date(at.getTime() - UNKNOWN_NAMES_KEPT_MS)
  const seenTwice = await noteUnknownNames(db, unknown, { at, forgetBefore })
  if (seenTwice.length === 0) return 0
  return changeCatalog(db, (tx, seq) => insertStubs(tx, { seq, game: GAME }, seenTwice.map(stubOf)))
}

function rawIdOf(event: FeedEvent): string | null {
  if (event.kind === 'gap') return null
  const rawId: unknown = event.kind === 'upsert' ? event.listing?.rawId : event.rawId
  return isRawId(rawId) ? rawId : null
}

/** Of each live listing of the market. */
async function readSaid(db: Db, market: MarketId): Promise<SaidBefore> {
  const before = createSaidBefore()
  const pageSize = 5000
  let after = ''
  for (;;) {
    const page = await listSaid(db, market, after, pageSize)
    for (const { rawId, said } of page) before.add(rawId, said)
    if (page.length < pageSize) return before
    after = page.at(-1)?.rawId ?? after
  }
}

type Counts = Pick<IngestReport, 'inserted' | 'updated' | 'removed'>
const NOTHING: Counts = { inserted: 0, updated: 0, removed: 0 }

interface Report extends Counts {
  dropped: Record<RejectReason, number>
  add(counts: Counts): void
}

function createReport(): Report {
  const totals = { ...NOTHING, dropped: { form: 0, price: 0, size: 0, 'unknown-item': 0 } }
  return Object.assign(totals, {
    add: (counts: Counts) => {
      totals.inserted += counts.inserted
      totals.updated += counts.updated
      totals.removed += counts.removed
    },
  })
}

/** Runs one piece of work after the other, in the order in which they were asked for. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}

interface NamesLoader {
  (): Promise<ItemNames>
  /** Reads the names again if items have changed; true when they had. */
  afresh(): Promise<boolean>
  /** The same, but not more often than every 30 s. */
  sometimesAfresh(): Promise<boolean>
}

function createNamesLoader({ db, clock }: Pick<IngestDeps, 'db' | 'clock'>): NamesLoader {
  let names: ItemNames | null = null
  let version = -1n
  let lookedAtMs = Number.NEGATIVE_INFINITY
  const load = async (): Promise<ItemNames> => {
    version = await itemsVersion(db)
    names = createItemNames(await listItemNames(db))
    return names
  }
  const afresh = async (): Promise<boolean> => {
    lookedAtMs = clock.now().getTime()
    if ((await itemsVersion(db)) === version) return false
    await load()
    return true
  }
  const sometimesAfresh = async (): Promise<boolean> =>
    clock.now().getTime() - lookedAtMs >= NAMES_RELOAD_MS && (await afresh())
  return Object.assign(async () => names ?? load(), { afresh, sometimesAfresh })
}

/** What live changes said of a listing. */
interface LiveChange {
  readonly atMs: number
  /** It was said to be for sale. */
  readonly isOffer: boolean
  /** Null: it was said to be gone. */
  readonly priceMills: bigint | null
}

const liveChangeOf = (
  event: ListingEvent,
  atMs: number,
  earlier: LiveChange | undefined,
): LiveChange => ({
  atMs,
  isOffer: event.kind === 'upsert' || (event.kind === 'price' && earlier?.isOffer === true),
  priceMills: priceOf(event),
})

function priceOf(event: ListingEvent): bigint | null {
  if (event.kind === 'remove') return null
  return event.kind === 'price' ? event.priceMills : event.listing.priceMills
}

function forgetBefore(liveChanges: Map<string, LiveChange>, beforeMs: number): void {
  for (const [rawId, { atMs }] of liveChanges) if (atMs < beforeMs) liveChanges.delete(rawId)
}

function* slices<T>(values: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < values.length; at += size) yield values.slice(at, at + size)
}
