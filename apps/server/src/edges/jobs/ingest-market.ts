// Keeps a market's listings up with its feed: everything once, then changes as they come, and everything
// again after a gap, from time to time, and when a snapshot was suspicious.
import {
  type Catalog,
  type FeedEvent,
  type IngestReport,
  type MarketFeed,
  type MarketIngest,
  SNAPSHOT_AGE_MS,
} from '#catalog'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { allEnded } from '#kernel/all-ended'

export interface IngestMarketDeps {
  readonly catalog: Catalog
  readonly feed: MarketFeed
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

/** What comes meanwhile is written together with the first of it. */
const BATCH_MS = 250
/**
 * While changes come all the time: each batch is a commit of some ten statements, and ten changes a second
 * would be four of them.
 */
const BATCH_EVERY_MS = 1000
const BATCH_EVENTS = 1000
/** More than this waiting means that we cannot keep up: reading everything anew is cheaper. */
const MAX_WAITING_EVENTS = 50_000
const TICK_MS = 1000
const RETRY_MS = 2000
const SUSPICIOUS_RETRY_MS = 30_000
/** Of what a read has seen. Fewer wait for the next one, as what a feed has lost does. */
const CONTESTED_SHARE = 0.01

export const createIngestMarket = (deps: IngestMarketDeps): Job => ({
  name: `ingest-${deps.feed.id}`,
  everyMs: 1000,
  singleton: true,
  figures: [metersOf(deps.metrics).age],
  work: async ({ signal }) => {
    // Two loops share one ingest; it keeps their writes apart. When one breaks, both end and the job
    // begins anew.
    const broken = new AbortController()
    const both = AbortSignal.any([signal, broken.signal])
    const session = createSession(deps)
    try {
      await allEnded(
        [followChanges(session, both), readSnapshots(session, both)].map((loop) =>
          loop.catch((error) => {
            broken.abort(error)
            throw error
          }),
        ),
      )
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return false
  },
})

interface Session extends IngestMarketDeps {
  readonly ingest: MarketIngest
  readonly meters: Meters
  /** When everything is to be read again. */
  snapshotDueMs: number
  lastEventMs: number
}

function createSession(deps: IngestMarketDeps): Session {
  const nowMs = deps.clock.now().getTime()
  return {
    ...deps,
    ingest: deps.catalog.openIngest(deps.feed.id),
    meters: metersOf(deps.metrics),
    snapshotDueMs: nowMs,
    lastEventMs: nowMs,
  }
}

const nowMsOf = ({ clock }: Session): number => clock.now().getTime()

const wantSnapshot = (session: Session, delayMs: number): void => {
  session.snapshotDueMs = Math.min(session.snapshotDueMs, nowMsOf(session) + delayMs)
}

/** Gathers live changes for a moment and applies them together. */
async function followChanges(session: Session, signal: AbortSignal): Promise<void> {
  const { feed, ingest, log, meters } = session
  let waiting: FeedEvent[] = []
  let applying: Promise<void> | null = null
  let appliedAtMs = Number.NEGATIVE_INFINITY

  const apply = async (): Promise<void> => {
    await pause(Math.max(BATCH_MS, appliedAtMs + BATCH_EVERY_MS - performance.now()), signal)
    appliedAtMs = performance.now()
    while (waiting.length > 0 && !signal.aborted) {
      const batch = waiting.slice(0, BATCH_EVENTS)
      waiting = waiting.slice(BATCH_EVENTS)
      try {
        note(meters, feed.id, await ingest.applyChanges(batch))
      } catch (error) {
        log.error(
          { event: 'market_changes_failed', market: feed.id, events: batch.length, err: error },
          'market changes failed',
        )
        wantSnapshot(session, RETRY_MS)
      }
    }
  }
  const applySoon = (): void => {
    applying ??= apply().finally(() => {
      applying = null
      if (waiting.length > 0 && !signal.aborted) applySoon()
    })
  }

  for await (const event of feed.changes(signal)) {
    session.lastEventMs = nowMsOf(session)
    if (event.kind === 'gap') {
      meters.gaps.labels(feed.id).inc()
      wantSnapshot(session, 0)
      continue
    }
    if (waiting.length >= MAX_WAITING_EVENTS) {
      log.warn(
        { event: 'market_changes_dropped', market: feed.id, dropped: waiting.length },
        'market changes dropped: the next snapshot replaces them',
      )
      waiting = []
      wantSnapshot(session, 0)
    }
    waiting.push(event)
    applySoon()
  }
  await applying
  if (!signal.aborted) throw new Error(`the feed of ${feed.id} ended`)
}

async function readSnapshots(session: Session, signal: AbortSignal): Promise<void> {
  const { catalog, feed, meters } = session
  let unknownAt: bigint | null = null
  let versionBefore: bigint | null = null
  while (!signal.aborted) {
    meters.age.labels(feed.id).set((nowMsOf(session) - session.lastEventMs) / 1000)
    const version = await catalog.itemsVersion()
    // Listings of items that we did not know are read again once the items have come, and no more come.
    if (unknownAt !== null && version !== unknownAt && version === versionBefore) {
      wantSnapshot(session, 0)
    }
    // Beside half of a list, listings are of unknown items. Where it is not to be had, what is there counts.
    const isWhole = version > 0n && (version === versionBefore || (await catalog.hasItemList()))
    versionBefore = version
    if (isWhole && nowMsOf(session) >= session.snapshotDueMs) {
      const { unknown } = await readSnapshot(session, signal)
      unknownAt = unknown ? version : null
    }
    await pause(TICK_MS, signal)
  }
}

async function readSnapshot(session: Session, signal: AbortSignal): Promise<{ unknown: boolean }> {
  const { feed, ingest, log, meters } = session
  const startedMs = nowMsOf(session)
  session.snapshotDueMs = startedMs + feed.resyncMs
  try {
    const report = await ingest.applySnapshot(feed.snapshot(signal))
    note(meters, feed.id, report)
    session.lastEventMs = nowMsOf(session)
    if (report.contested > report.seen * CONTESTED_SHARE) {
      wantSnapshot(session, SNAPSHOT_AGE_MS + TICK_MS)
    }
    if (report.suspicious) wantSnapshot(session, SUSPICIOUS_RETRY_MS)
    const durationMs = nowMsOf(session) - startedMs
    const fields = { event: 'market_snapshot', market: feed.id, ...report, durationMs }
    if (report.suspicious)
      log.warn(fields, 'market snapshot suspicious: nearly all listings are gone, none was removed')
    else log.info(fields, 'market snapshot applied')
    return { unknown: report.dropped['unknown-item'] > 0 }
  } catch (error) {
    if (!signal.aborted) {
      log.warn(
        { event: 'market_snapshot_failed', market: feed.id, err: error },
        'market snapshot failed',
      )
      wantSnapshot(session, RETRY_MS)
    }
    return { unknown: false }
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, milliseconds)
    signal.addEventListener('abort', finish)
  })

interface Meters {
  readonly age: ReturnType<Metrics['gauge']>
  readonly gaps: ReturnType<Metrics['counter']>
  readonly changes: ReturnType<Metrics['counter']>
  readonly dropped: ReturnType<Metrics['counter']>
}

const metersOf = (metrics: Metrics): Meters => ({
  age: metrics.gauge('market_feed_age_seconds', 'Time since the last event of a market’s feed', [
    'market',
  ]),
  gaps: metrics.counter('market_feed_gaps_total', 'Times that changes may have been lost', [
    'market',
  ]),
  changes: metrics.counter('market_listing_changes_total', 'Listings written from feeds', [
    'market',
    'change',
  ]),
  dropped: metrics.counter('market_listings_dropped_total', 'Listings that were rejected', [
    'market',
    'reason',
  ]),
})

function note(meters: Meters, market: string, report: IngestReport): void {
  for (const change of ['inserted', 'updated', 'removed'] as const) {
    meters.changes.labels(market, change).inc(report[change])
  }
  for (const [reason, count] of Object.entries(report.dropped)) {
    meters.dropped.labels(market, reason).inc(count)
  }
}
