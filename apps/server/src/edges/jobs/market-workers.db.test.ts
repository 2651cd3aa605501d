import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import {
  type Catalog,
  createCatalog,
  type FeedEvent,
  type MarketFeed,
  type PriceList,
} from '#catalog'
import { sql } from '#infra/database/db'
import { type JobDeps, startJobs } from '#infra/jobs/jobs'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { until } from '#infra/testing/until'
import { mills } from '#kernel/money'
import { manualClock } from '../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import {
  DRAGON_LORE,
  idOf,
  REDLINE,
  sourceItem,
  sourceListing,
  sourceOf,
} from '../../modules/trading/catalog/testing/fixtures.ts'
import { createIngestMarket } from './ingest-market.ts'
import { createKeepHistory } from './keep-history.ts'
import { createMarketHealth } from './market-health.ts'
import { createRecountStock } from './recount-stock.ts'
import { createRefreshCatalog } from './refresh-catalog.ts'
import { createRefreshPrices } from './refresh-prices.ts'
import { createWatchCatalog } from './watch-catalog.ts'

const RUN = { signal: new AbortController().signal, processId: 'test' }

/** A market whose listings and changes the test makes. */
function standInFeed() {
  const listings = new Map<string, ReturnType<typeof sourceListing>>()
  let push: (event: FeedEvent) => void = () => {}
  let cut: () => void = () => {}
  const state = { snapshots: 0, connections: 0, snapshotError: null as Error | null }
  const feed: MarketFeed = {
    id: 'market_a',
    resyncMs: 3_600_000,
    async *snapshot() {
      state.snapshots++
      if (state.snapshotError) throw state.snapshotError
      yield [...listings.values()]
    },
    async *changes(signal) {
      state.connections++
      const waiting: (FeedEvent | null)[] = []
      let wake: () => void = () => {}
      push = (event) => {
        waiting.push(event)
        wake()
      }
      cut = () => {
        waiting.push(null)
        wake()
      }
      signal.addEventListener('abort', () => cut())
      for (;;) {
        while (waiting.length > 0) {
          const event = waiting.shift()
          if (!event) return
          yield event
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    health: async () => ({ online: true, balanceMills: null, account: null, detail: '' }),
  }
  return { feed, listings, state, push: (event: FeedEvent) => push(event), cut: () => cut() }
}

let database: TestDatabase
let catalog: Catalog
let deps: JobDeps
const ends: (() => Promise<void>)[] = []

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  await database.db.script(
    `truncate catalog.item, catalog.listing, catalog.stock, infra.lease, catalog.item_day,
       catalog.unknown_name, catalog.source_list`,
  )
  catalog = createCatalog({ db: database.db, clock: systemClock })
  const metrics = createMetrics()
  deps = { db: database.db, clock: systemClock, log: silentLog, metrics, processId: 'test' }
})
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
})

async function start(...jobs: Parameters<typeof startJobs>[0]): Promise<void> {
  const running = await startJobs(jobs, deps)
  ends.push(() => running.stop())
}

const isForSale = async ({ rawId }: { rawId: string }): Promise<boolean> =>
  (await catalog.findListingByRawId('market_a', rawId))?.available === true

const ingest = (feed: MarketFeed, of: Catalog = catalog) =>
  createIngestMarket({
    ...{ catalog: of, feed },
    clock: systemClock,
    log: silentLog,
    metrics: deps.metrics,
  })

describe('reading a market', () => {
  test('everything first, then changes as they come, and everything again after a gap', async () => {
    await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE]), null)
    const { feed, listings, state, push } = standInFeed()
    const [first, second, lost] = [REDLINE, REDLINE, DRAGON_LORE].map((item) => sourceListing(item))
    listings.set(first!.rawId, first!)
    await start(ingest(feed))
    await until('the first snapshot is in', () => isForSale(first!))

    push({ kind: 'upsert', listing: second! })
    push({ kind: 'remove', rawId: first!.rawId })
    await until('the new one is for sale', () => isForSale(second!))
    assert.equal(await isForSale(first!), false)

    listings.clear()
    listings.set(second!.rawId, second!).set(lost!.rawId, lost!)
    const before = state.snapshots
    push({ kind: 'gap' })
    await until('what the gap hid is for sale', () => isForSale(lost!))
    assert.ok(state.snapshots > before)
    const text = await deps.metrics.text()
    assert.match(text, /tradepost_market_feed_gaps_total\{market="market_a"\} 1/)
    assert.match(text, /tradepost_market_feed_age_seconds\{market="market_a"\}/)
  })

  test('a market that cannot be read is tried again; nothing is removed meanwhile', async () => {
    await catalog.refreshItems(sourceOf([REDLINE]), null)
    const { feed, listings, state } = standInFeed()
    const listing = sourceListing(REDLINE)
    state.snapshotError = new Error('502')
    await start(ingest(feed))
    await until('it was tried twice', () => state.snapshots >= 2)
    state.snapshotError = null
    listings.set(listing.rawId, listing)
    await until('the listing is for sale', () => isForSale(listing))
  })

  test('a feed that ends is opened again, and the market read anew', async () => {
    await catalog.refreshItems(sourceOf([REDLINE]), null)
    const { feed, listings, state, cut } = standInFeed()
    await start(ingest(feed))
    await until('it is open', () => state.connections === 1 && state.snapshots === 1)
    const listing = sourceListing(REDLINE)
    listings.set(listing.rawId, listing)
    cut()
    await until('the listing is for sale', () => isForSale(listing))
    assert.equal(state.connections, 2)
  })

  test('listings of items that come later are for sale soon after', async () => {
    const novel = sourceItem({ marketHashName: 'Not Known Yet' })
    const { feed, listings, state } = standInFeed()
    const listing = sourceListing(novel)
    listings.set(listing.rawId, listing)
    await start(ingest(feed))
    await until('the feed is open', () => state.connections === 1)
    assert.equal(state.snapshots, 0, 'without items there is nothing to read')
    await catalog.refreshItems(sourceOf([REDLINE]), null)
    await until('the market was read', () => state.snapshots === 1)
    await catalog.refreshItems(sourceOf([REDLINE, novel], 'v2'), 'v1')
    await until('the listing is for sale', () => isForSale(listing))
  })

  test('while an item list is being written the market waits, and reads it once', async () => {
    const { feed, listings, state } = standInFeed()
    const listing = sourceListing(DRAGON_LORE)
    listings.set(listing.rawId, listing)
    await catalog.refreshItems(sourceOf([REDLINE]), null)
    await database.db.script('truncate catalog.source_list')
    let looks = 0
    // Each look finds that more was written.
    const written: Catalog = {
      ...catalog,
      itemsVersion: async () => {
        looks++
        await database.db.script('update catalog.item set changed_seq = changed_seq + 1')
        return catalog.itemsVersion()
      },
    }
    await start(ingest(feed, written))
    await until('it has looked three times', () => looks >= 3)
    assert.equal(state.snapshots, 0)
    await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE]), null)
    await until('the listing is for sale', () => isForSale(listing))
    assert.equal(state.snapshots, 1)
  })

  test('of two processes one reads; when it stops, the other takes over', async () => {
    await catalog.refreshItems(sourceOf([REDLINE]), null)
    const [one, two] = [standInFeed(), standInFeed()]
    const running = await startJobs([ingest(one.feed)], { ...deps, processId: 'one' })
    await until('one reads', () => one.state.connections === 1)
    const other = await startJobs([ingest(two.feed)], { ...deps, processId: 'two' })
    ends.push(() => other.stop())
    await running.stop()
    await until('two reads', () => two.state.connections === 1)
    assert.equal(one.state.connections, 1)
  })
})

describe('health', () => {
  const isOnline = async (): Promise<boolean> => catalog.isMarketAvailable('market_a')

  test('two failures in a row take a market out of sale, the first answer brings it back', async () => {
    const answers: (boolean | Error)[] = [true, false, true, false, new Error('reset'), false, true]
    const expected = [true, true, true, true, false, false, true]
    const feed = {
      id: 'market_a' as const,
      health: async () => {
        const answer = answers.shift()
        if (answer instanceof Error) throw answer
        const said = { account: null, detail: 'HTTP 502' }
        return { online: answer === true, balanceMills: mills(5_000_000n), ...said }
      },
    }
    const job = createMarketHealth({ catalog, feed, log: silentLog, metrics: deps.metrics })
    for (const online of expected) {
      await job.work(RUN)
      assert.equal(await isOnline(), online)
    }
    const [market] = await catalog.listMarkets()
    assert.equal(market?.balanceMills, 5_000_000n)
    assert.match(await deps.metrics.text(), /tradepost_market_online\{market="market_a"\} 1/)
  })
})

test('the item source is asked with the tag of its last answer', async () => {
  const asked: (string | null)[] = []
  const source = sourceOf([REDLINE])
  const fetch = (etag: string | null) => {
    asked.push(etag)
    return source.fetch(etag)
  }
  const rules = { pricesApart: false, everyMs: 10 }
  await start(createRefreshCatalog({ catalog, source: { fetch }, log: silentLog, ...rules }))
  await until('it was asked three times', () => asked.length >= 3)
  assert.deepEqual(asked.slice(0, 3), [null, 'v1', 'v1'])
})

test('an item list that cannot be had fails its job only while there is no catalogue', async () => {
  const source = { fetch: () => Promise.reject(new Error('502')) }
  const job = createRefreshCatalog({ catalog, source, log: silentLog, pricesApart: true })
  await assert.rejects(job.work(RUN), /502/)
  await catalog.refreshItems(sourceOf([REDLINE]), null)
  assert.equal(await job.work(RUN), false)
})

test('prices are read once there are items, again after an hour, and sooner when one list was bad', async () => {
  const clock = manualClock()
  let asked = 0
  let madeAt = new Date(0)
  const lists: PriceList[] = [
    {
      market: 'market_a',
      fetch: async () => {
        asked++
        const { marketHashName, phase } = REDLINE
        const price = { marketHashName, phase, pricesMills: [mills(9_000n)], volume: 40 }
        return { madeAt, prices: [price], unreadable: 0 }
      },
    },
  ]
  const timed = createCatalog({ db: database.db, clock })
  const job = createRefreshPrices({ catalog: timed, clock, log: silentLog, lists })
  const watch = createWatchCatalog({ catalog: timed, metrics: deps.metrics, pricesApart: true })
  await job.work(RUN)
  assert.equal(asked, 0)
  await timed.refreshItems(sourceOf([REDLINE]), null, { pricesApart: true })
  await job.work(RUN)
  await watch.work(RUN)
  assert.match(await deps.metrics.text(), /catalog_list_refused\{list="prices_market_a"\} 1/)
  madeAt = clock.now()
  clock.advance(600_000)
  await job.work(RUN)
  clock.advance(3_599_000)
  await job.work(RUN)
  assert.equal(asked, 2)
  clock.advance(1_000)
  await job.work(RUN)
  assert.equal(asked, 3)
  await watch.work(RUN)
  const text = await deps.metrics.text()
  assert.match(text, /catalog_list_refused\{list="prices_market_a"\} 0/)
  const seconds = clock.now().getTime() / 1000
  assert.ok(text.includes(`catalog_list_good_seconds{list="prices_market_a"} ${seconds}`))
  assert.match(text, /catalog_stub_items 0/)
})

test('what buys took and trades settled becomes stock and history', async () => {
  await catalog.refreshItems(sourceOf([REDLINE]), null)
  await catalog.markMarket('market_a', { online: true, balanceMills: null, detail: '' })
  const listing = sourceListing(REDLINE)
  await catalog.openIngest('market_a').applyChanges([{ kind: 'upsert', listing }])
  const found = await catalog.findListingByRawId('market_a', listing.rawId)
  await start(createRecountStock({ catalog }), createKeepHistory({ catalog }))
  await database.db.query(
    sql(
      'test_sold',
      'select catalog.take_listing($1, 99999), catalog.record_sale($2, 1234, now())',
    ),
    [found!.id, idOf(REDLINE)],
  )
  await until('the sale is in its day', async () => {
    const [day] = await catalog.listHistory(idOf(REDLINE))
    return day?.volume === 1 && day.median === 1234n
  })
  const stock = sql(
    'test_stock',
    'select standard_count as left from catalog.stock where market = $1',
  )
  await until('the stock is counted', async () => {
    const [row] = await database.db.query<{ left: number }>(stock, ['market_a'])
    return row?.left === 0
  })
})
