import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { sql } from '#infra/database/db'
import { mills } from '#kernel/money'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { type Catalog, createCatalog } from './catalog.ts'
import { followListings, type ListingEvent, type ListingsFollower } from './follow-listings.ts'
import {
  allOf,
  chunksOf,
  DRAGON_LORE,
  idOf as itemIdOf,
  REDLINE,
  RUBY,
  sourceListing,
  sourceOf,
} from './testing/fixtures.ts'
import { seededRandom } from './testing/items.ts'
import { type ListingsView, openListingsView } from './view/listings-view.ts'

const clock = manualClock()
const UP = { online: true, detail: '', balanceMills: null }
let database: TestDatabase
let catalog: Catalog

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  await database.db.script(
    'truncate catalog.item, catalog.listing, catalog.stock, catalog.listing_change, catalog.taken_news',
  )
  // What another test did is not within the look back.
  clock.advance(3_600_000)
  catalog = createCatalog({ db: database.db, clock })
  await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE, RUBY]), null)
  for (const market of ['market_a', 'market_b'] as const) await catalog.markMarket(market, UP)
})

const views: ListingsView[] = []
afterEach(() => Promise.all(views.splice(0).map((view) => view.stop())))

async function follow(): Promise<ListingsFollower> {
  const view = await openListingsView({ db: database.db, clock, onError: assert.ifError })
  views.push(view)
  return catalog.followListings(view)
}

/** Every event that is waiting, in turns of so many. */
async function all(follower: ListingsFollower, limit = 1000): Promise<ListingEvent[]> {
  const events: ListingEvent[] = []
  for (;;) {
    const read = await follower.read(limit)
    events.push(...read.events)
    if (!read.more) return events
  }
}

const shown = (events: readonly ListingEvent[]): string[] =>
  events.map(({ listing, appeared }) =>
    listing === null ? 'gone' : `${appeared ? 'new' : 'changed'} ${listing.priceMills}`,
  )

const idOf = async (rawId: string): Promise<bigint> => {
  const [row] = await database.db.query<{ id: bigint }>(
    sql('test_id', 'select id from catalog.listing where raw_id = $1'),
    [rawId],
  )
  return row?.id ?? 0n
}

test('a listing that comes, changes, is bought, given back and goes is reported as what it is each time', async () => {
  const follower = await follow()
  const ingest = catalog.openIngest('market_a')
  const listing = sourceListing(REDLINE, { priceMills: mills(500n) })
  const { rawId } = listing
  assert.deepEqual(shown(await all(follower)), [])
  await ingest.applyChanges([{ kind: 'upsert', listing }])
  assert.deepEqual(shown(await all(follower)), ['new 500'])
  await ingest.applyChanges([{ kind: 'price', rawId, priceMills: mills(600n) }])
  assert.deepEqual(shown(await all(follower)), ['changed 600'])
  await ingest.applyChanges([{ kind: 'upsert', listing: { ...listing, paintSeed: 7 } }])
  assert.deepEqual(shown(await all(follower)), ['changed 500'])
  const id = await idOf(rawId)
  await database.db.query(sql('test_take', 'select catalog.take_listing($1, 500)'), [id])
  await catalog.countTaken()
  assert.deepEqual(shown(await all(follower)), ['gone'])
  await ingest.applyChanges([{ kind: 'price', rawId, priceMills: mills(550n) }])
  assert.deepEqual(shown(await all(follower)), [], 'a new price of what is sold is not shown')
  await database.db.query(sql('test_release', 'select catalog.release_listing($1)'), [id])
  await catalog.countTaken()
  assert.deepEqual(shown(await all(follower)), ['new 550'])
  await ingest.applyChanges([{ kind: 'remove', rawId }])
  assert.deepEqual(shown(await all(follower)), ['gone'])
  await ingest.applyChanges([{ kind: 'upsert', listing }])
  assert.deepEqual(shown(await all(follower)), ['new 500'])
  await ingest.applyChanges([{ kind: 'upsert', listing }])
  assert.deepEqual(shown(await all(follower)), [], 'what reads as before causes no event')
})

test('a page of an item shows what can be bought now: what was sold since is replaced and not counted', async () => {
  const listings = Array.from({ length: 60 }, (_, i) =>
    sourceListing(REDLINE, {
      priceMills: mills(BigInt(100 + i)),
      stickers:
        i < 2 ? [{ name: 'Crown (Foil)', slot: 0, wear: null, iconUrl: 'https://x/y.png' }] : [],
    }),
  )
  await catalog.openIngest('market_a').applySnapshot(chunksOf(listings))
  const view = await openListingsView({ db: database.db, clock, onError: assert.ifError })
  views.push(view)
  const wanted = { ...allOf(itemIdOf(REDLINE)), limit: 10 }
  const page = async (change: Partial<typeof wanted>) => {
    const { rows, total } = await view.listOfItem({ ...wanted, ...change })
    return [...rows.map(({ priceMills }) => Number(priceMills)), `of ${total}`]
  }
  assert.deepEqual(await page({ limit: 3, offset: 20 }), [120, 121, 122, 'of 60'])
  assert.deepEqual(await page({ hasStickers: true }), [100, 101, 'of 2'])
  for (const i of [20, 22]) {
    const id = await idOf(listings[i]?.rawId ?? '')
    await database.db.query(sql('test_take_it', 'select catalog.take_listing($1, 999)'), [id])
  }
  assert.deepEqual(await page({ limit: 3, offset: 20 }), [121, 123, 124, 'of 58'])
  await catalog.countTaken()
  await view.refresh()
  assert.deepEqual(await page({ limit: 3, offset: 20 }), [121, 123, 124, 'of 58'])
  assert.deepEqual(await page({ upMarkets: ['market_b'] }), ['of 0'])
})

test('several changes of one listing between two looks are one event, and keep its position', async () => {
  const follower = await follow()
  const ingest = catalog.openIngest('market_a')
  const [one, other] = [sourceListing(REDLINE), sourceListing(RUBY)]
  await follower.read(1)
  for (const listing of [one, other, { ...one, priceMills: mills(900n) }]) {
    await ingest.applyChanges([{ kind: 'upsert', listing }])
    clock.advance(1000)
  }
  const events = await all(follower, 1)
  assert.deepEqual(shown(events), ['new 900', 'new 12340'])
  assert.ok((events[0]?.atMs ?? 0) < (events[1]?.atMs ?? 0))
})

test('what a listing was before is what was last reported, also where that was newer than the view', async () => {
  const view = await openListingsView({ db: database.db, clock, onError: assert.ifError })
  views.push(view)
  const ingest = catalog.openIngest('market_a')
  const listing = sourceListing(REDLINE, { priceMills: mills(500n) })
  const setPrice = (price: bigint) =>
    ingest.applyChanges([{ kind: 'price', rawId: listing.rawId, priceMills: mills(price) }])
  let onRefreshed = async (): Promise<unknown> => null
  const follower = followListings({
    db: database.db,
    clock,
    listings: {
      find: view.find,
      follow: view.follow,
      refresh: async () => {
        await view.refresh()
        await onRefreshed()
      },
      get currentAt() {
        return view.currentAt
      },
    },
  })
  const read = async (): Promise<unknown> =>
    (await follower.read(10)).events.map((event) => [
      event.before?.mills,
      Number(event.listing?.priceMills),
    ])
  await read()
  await ingest.applyChanges([{ kind: 'upsert', listing }])
  assert.deepEqual(await read(), [[undefined, 500]])
  await setPrice(600n)
  onRefreshed = () => setPrice(5n)
  assert.deepEqual(await read(), [[500, 5]])
  onRefreshed = async () => null
  await setPrice(900n)
  assert.deepEqual(await read(), [[5, 900]])
  await setPrice(950n)
  assert.deepEqual(await read(), [[900, 950]])
})

test('a later reader gets the events of the last minute, and of nothing before', async () => {
  const ingest = catalog.openIngest('market_a')
  await ingest.applyChanges([{ kind: 'upsert', listing: sourceListing(REDLINE) }])
  clock.advance(70_000)
  await ingest.applyChanges([
    { kind: 'upsert', listing: sourceListing(RUBY, { priceMills: mills(700n) }) },
  ])
  clock.advance(10_000)
  assert.deepEqual(shown(await all(await follow())), ['new 700'])
})

test('a market that goes is reported listing by listing once that has lasted, and so is its return', async () => {
  const follower = await follow()
  const ingest = catalog.openIngest('market_a')
  const listings = Array.from({ length: 25 }, () => sourceListing(REDLINE))
  await ingest.applyChanges(listings.map((listing) => ({ kind: 'upsert', listing })))
  await catalog
    .openIngest('market_b')
    .applyChanges([{ kind: 'upsert', listing: sourceListing(RUBY, { market: 'market_b' }) }])
  assert.equal((await all(follower)).length, 26)
  await catalog.setMarketEnabled('market_a', false)
  assert.deepEqual(await all(follower), [], 'it may be back at once')
  clock.advance(3000)
  const gone = await all(follower, 10)
  assert.deepEqual(
    shown(gone),
    Array.from({ length: 25 }, () => 'gone'),
  )
  await catalog.setMarketEnabled('market_a', true)
  await all(follower)
  clock.advance(3000)
  const back = await all(follower, 10)
  assert.deepEqual(new Set(shown(back)), new Set(['new 12340']))
  assert.equal(new Set(back.map(({ id }) => id)).size, 25)
})

test('a market that is back at once is no event, and what changed meanwhile is reported', async () => {
  const follower = await follow()
  const ingest = catalog.openIngest('market_a')
  const [one, other] = [sourceListing(REDLINE), sourceListing(REDLINE)]
  for (const listing of [one, other]) await ingest.applyChanges([{ kind: 'upsert', listing }])
  await all(follower)
  await catalog.markMarket('market_a', { ...UP, online: false })
  await ingest.applyChanges([{ kind: 'price', rawId: one.rawId, priceMills: mills(1n) }])
  assert.deepEqual(shown(await all(follower)), ['changed 1'])
  await catalog.markMarket('market_a', UP)
  await all(follower)
  clock.advance(10_000)
  assert.deepEqual(await all(follower), [])
})

test('after any changes a reader of all events knows what is for sale', async () => {
  const random = seededRandom(5)
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const follower = await follow()
  const known = new Map<bigint, string>()
  const rawIds: string[] = []
  const ingest = catalog.openIngest('market_a')
  for (let round = 0; round < 120; round++) {
    const act = random(6)
    if (act < 2 || rawIds.length < 3) {
      const listing = sourceListing(pick([REDLINE, RUBY]), {
        priceMills: mills(BigInt(1 + random(99))),
      })
      rawIds.push(listing.rawId)
      await ingest.applyChanges([{ kind: 'upsert', listing }])
    } else if (act === 2) {
      const priceMills = mills(BigInt(1 + random(99)))
      await ingest.applyChanges([{ kind: 'price', rawId: pick(rawIds), priceMills }])
    } else if (act === 3) await ingest.applyChanges([{ kind: 'remove', rawId: pick(rawIds) }])
    else if (act === 4) {
      const verb = pick([
        'select catalog.take_listing($1, 1000)',
        'select catalog.release_listing($1)',
      ])
      await database.db.query(sql(`test ${verb}`, verb), [await idOf(pick(rawIds))])
      await catalog.countTaken()
    } else {
      await catalog.setMarketEnabled('market_a', random(2) > 0)
      clock.advance(random(5000))
    }
    if (random(3) === 0) apply(await follower.read(1 + random(4)))
  }
  await catalog.setMarketEnabled('market_a', true)
  await follower.read(1).then(apply)
  clock.advance(5000)
  for (;;) {
    const read = await follower.read(5)
    apply(read)
    if (!read.more) break
  }
  const rows = await database.db.query<{ id: bigint; price_mills: bigint }>(
    sql('test_for_sale', 'select id, price_mills from catalog.listing where live and not taken'),
  )
  assert.ok(rows.length > 5)
  assert.deepEqual(
    new Map([...known].sort()),
    new Map(rows.map(({ id, price_mills }) => [id, String(price_mills)] as const).sort()),
  )

  function apply({ events }: { events: readonly ListingEvent[] }): void {
    for (const { id, listing } of events) {
      if (listing === null) known.delete(id)
      else known.set(id, String(listing.priceMills))
    }
  }
})

test('when more waits than can be read in time, readers begin anew instead of being minutes behind', async () => {
  const follower = await follow()
  await follower.read(1)
  const many = Array.from({ length: 20_100 }, () => sourceListing(REDLINE))
  await catalog.openIngest('market_a').applySnapshot(chunksOf(many))
  assert.deepEqual(await follower.read(10), {
    events: [],
    more: false,
    lost: true,
    switched: false,
  })
  clock.advance(1000)
  await catalog
    .openIngest('market_a')
    .applyChanges([{ kind: 'upsert', listing: sourceListing(RUBY, { priceMills: mills(9n) }) }])
  assert.deepEqual(shown(await all(follower)), ['new 9'])
})
