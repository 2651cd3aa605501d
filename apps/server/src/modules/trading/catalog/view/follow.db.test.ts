import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { openDb, sql } from '#infra/database/db'
import { until } from '#infra/testing/until'
import { mills } from '#kernel/money'
import { manualClock } from '../../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../../infra/testing/database.ts'
import { type Catalog, createCatalog } from '../catalog.ts'
import type { FeedEvent, SourceListing } from '../ports.ts'
import {
  chunksOf,
  DRAGON_LORE,
  idOf,
  REDLINE,
  RUBY,
  sourceItem,
  sourceListing,
  sourceOf,
} from '../testing/fixtures.ts'
import { seededRandom } from '../testing/items.ts'
import { type CatalogueView, openCatalogueView } from './follow.ts'
import type { Entry } from './search-index.ts'

const clock = manualClock()
const ITEMS = [REDLINE, DRAGON_LORE, RUBY]
/** More than any test changes. */
const MANY = 1000
const UP = { online: true, detail: '', balanceMills: null }

let database: TestDatabase
let catalog: Catalog
const views: CatalogueView[] = []
const errors: unknown[] = []

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  await database.db.script('truncate catalog.item, catalog.listing, catalog.stock')
  catalog = createCatalog({ db: database.db, clock })
  await catalog.refreshItems(sourceOf(ITEMS), null)
  for (const market of ['market_a', 'market_b'] as const) await catalog.markMarket(market, UP)
})
afterEach(async () => {
  await Promise.all(views.splice(0).map((view) => view.stop()))
  assert.deepEqual(errors.splice(0), [])
})

async function openView(): Promise<CatalogueView> {
  const onError = (error: unknown): void => {
    errors.push(error)
  }
  const view = await openCatalogueView({ db: database.db, clock, onError })
  views.push(view)
  return view
}

/** Everything that a view knows of stock, as text. */
const picture = (view: CatalogueView): string =>
  view
    .list({ offset: 0, limit: 100 })
    .entries.map(({ item, lowest, instant, standardCount, instantCount }) =>
      [item.id, lowest, instant, standardCount, instantCount].join(),
    )
    .join('\n')

test('two views follow the same changes by themselves', async () => {
  const [one, two] = [await openView(), await openView()]
  const listing = sourceListing(REDLINE, { priceMills: mills(500n) })
  await catalog.openIngest('market_a').applyChanges([{ kind: 'upsert', listing }])
  const sees = (view: CatalogueView) => () => view.find(idOf(REDLINE))?.lowest === 500n
  await until('both see the listing', () => sees(one)() && sees(two)())
  assert.equal(picture(one), picture(two))
})

test('after any batches a view that followed is equal to one that was opened afterwards', async () => {
  const random = seededRandom(11)
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const followed = await openView()
  const known: SourceListing[] = []
  const ingests = {
    market_a: catalog.openIngest('market_a'),
    market_b: catalog.openIngest('market_b'),
  }
  for (let round = 0; round < 25; round++) {
    const market = pick(['market_a', 'market_b'] as const)
    const events = Array.from({ length: 1 + random(8) }, (): FeedEvent => {
      const listing = known.length > 3 ? pick(known) : null
      if (listing?.market === market && random(2) === 0) {
        return { kind: 'remove', rawId: listing.rawId }
      }
      const delivery = pick(['standard', 'instant'] as const)
      const priceMills = mills(BigInt(1 + random(50)))
      const added = sourceListing(pick(ITEMS), { market, delivery, priceMills })
      known.push(added)
      return { kind: 'upsert', listing: added }
    })
    await ingests[market].applyChanges(events)
    if (random(4) === 0)
      await catalog.setMarketEnabled(pick(['market_a', 'market_b']), random(2) > 0)
    await followed.refresh()
    const fresh = await openView()
    assert.equal(picture(followed), picture(fresh))
    const prices = { text: null, facets: {}, delivery: null, inStock: false, offset: 0, limit: 10 }
    const search = { ...prices, minPrice: null, maxPrice: null, priceOf: () => 0n as never }
    const ids = (view: CatalogueView): string[] =>
      view.search({ ...search, sort: 'priceAsc' }).entries.map(({ item }) => item.id)
    assert.deepEqual(ids(followed), ids(fresh))
    await views.pop()?.stop()
  }
})

test('who asks any of several processes for what changed has the list of now, whatever each of them has seen', async () => {
  const random = seededRandom(7)
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const openViews = [await openView(), await openView()]
  const shownOf = (view: CatalogueView): Map<string, string> =>
    new Map(
      view
        .list({ offset: 0, limit: 100 })
        .entries.map((entry) => [entry.item.id, shownText(entry)] as const),
    )
  const [first] = openViews
  const client = { version: first?.listVersion ?? '', shown: shownOf(first as CatalogueView) }
  const known: SourceListing[] = []
  for (let round = 0; round < 40; round++) {
    const market = pick(['market_a', 'market_b'] as const)
    const act = random(8)
    if (act === 0) await catalog.setMarketEnabled(market, random(2) > 0)
    else if (act === 1) {
      const items = ITEMS.filter(() => random(3) > 0)
      await catalog.refreshItems(sourceOf([REDLINE, ...items], `r${round}`), null)
    } else if (act === 2) {
      const sale = sql('test_sale', 'select catalog.record_sale($1, $2, $3)')
      await database.db.query(sale, [idOf(pick(ITEMS)), 100 + round, clock.now()])
      await catalog.countSales()
    } else {
      const gone = known.length > 3 && random(2) === 0 ? pick(known) : null
      const listing = sourceListing(pick(ITEMS), { market, priceMills: mills(1n + BigInt(round)) })
      if (gone === null) known.push(listing)
      await catalog
        .openIngest(gone?.market ?? market)
        .applyChanges([
          gone === null ? { kind: 'upsert', listing } : { kind: 'remove', rawId: gone.rawId },
        ])
    }
    clock.advance(1000)
    if (random(2) === 0) await pick(openViews).refresh()
    if (random(10) === 0) openViews[1] = await openView()
    const changes = await pick(openViews).changesSince(client.version, MANY)
    assert.ok(changes, 'the version of one process is known to the other')
    for (const id of changes.removed) client.shown.delete(id)
    for (const entry of changes.entries) client.shown.set(entry.item.id, shownText(entry))
    client.version = changes.version
  }
  const fresh = await openView()
  const last = await fresh.changesSince(client.version, MANY)
  for (const id of last?.removed ?? []) client.shown.delete(id)
  for (const entry of last?.entries ?? []) client.shown.set(entry.item.id, shownText(entry))
  assert.deepEqual(new Map([...client.shown].sort()), new Map([...shownOf(fresh)].sort()))
  for (const market of ['market_a', 'market_b'] as const) {
    await catalog.setMarketEnabled(market, true)
  }
})

/** What a list of prices shows of an entry. */
const shownText = ({ item, lowest, instant, standardCount, instantCount }: Entry): string =>
  [
    ...[lowest, instant, standardCount, instantCount, item.referenceMills, item.weekSales],
    item.lastSale?.cents,
  ].join()

test('a version says nothing to another database, and none is older than what it shows', async () => {
  const view = await openView()
  const { listVersion } = view
  const [history, seq] = listVersion.split('.')
  assert.equal((await view.changesSince(listVersion, MANY))?.entries.length, 0)
  for (const unknown of [`other___.${seq}`, `${history}.${Number(seq) + 9}`, `${history}.x`, '']) {
    assert.equal(await view.changesSince(unknown, MANY), null, unknown)
  }
  assert.equal((await view.changesSince(`${history}.0`, 3))?.entries.length, 3)
})

test('more changes than are asked for are none, and what is gone counts as a change', async () => {
  const view = await openView()
  const { listVersion } = view
  const another = sourceItem({ marketHashName: 'Another' })
  await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE, another], 'v2'), 'v1')
  await view.refresh()
  const changes = await view.changesSince(listVersion, 2)
  assert.deepEqual([changes?.entries.length, changes?.removed.length], [1, 1])
  assert.equal(await view.changesSince(listVersion, 1), null)
})

test('changes of two markets at once are all seen: numbers are visible in their order', async () => {
  const view = await openView()
  const items = Array.from({ length: 12 }, (_, i) => sourceItem({ marketHashName: `Item ${i}` }))
  await catalog.refreshItems(sourceOf([...ITEMS, ...items], 'v2'), 'v1')
  await Promise.all(
    (['market_a', 'market_b'] as const).flatMap((market) => {
      const ingest = catalog.openIngest(market)
      return items.map(async (item) => {
        await ingest.applyChanges([{ kind: 'upsert', listing: sourceListing(item, { market }) }])
        await view.refresh()
      })
    }),
  )
  await view.refresh()
  for (const item of items) assert.equal(view.find(idOf(item))?.standardCount, 2)
})

test('a taken listing leaves the view, and a sale makes its item popular', async () => {
  const view = await openView()
  const ingest = catalog.openIngest('market_a')
  const listing = sourceListing(RUBY)
  await ingest.applySnapshot(chunksOf([listing, sourceListing(REDLINE)]))
  await view.refresh()
  assert.deepEqual(
    view.mostTraded(5).map(({ item }) => item.phase),
    [null, 'Ruby'],
  )
  const found = await catalog.findListingByRawId('market_a', listing.rawId)
  await database.db.query(
    sql('test_sell', 'select catalog.record_sale($1, 1000, $2), catalog.take_listing($3, 999999)'),
    [idOf(RUBY), clock.now(), found!.id],
  )
  await ingest.applyChanges([{ kind: 'upsert', listing: sourceListing(RUBY) }])
  await catalog.countTaken()
  await catalog.countSales()
  await view.refresh()
  assert.equal(view.find(idOf(RUBY))?.standardCount, 1)
  assert.deepEqual(
    view.mostTraded(5).map(({ item }) => item.phase),
    ['Ruby', null],
  )
})

test('items come, change and go', async () => {
  const view = await openView()
  const before = view.version
  const renamed = { ...RUBY, collection: 'The New Collection' }
  const novel = sourceItem({ marketHashName: 'Brand New Thing' })
  await catalog.refreshItems(sourceOf([REDLINE, renamed, novel], 'v2'), 'v1')
  await view.refresh()
  assert.ok(view.version > before)
  assert.equal(view.find(idOf(DRAGON_LORE)), null)
  assert.ok(view.knows('collection', 'The New Collection'))
  assert.ok(!view.knows('collection', 'The Cobblestone Collection'))
  assert.deepEqual(
    view.suggest('brand', 5).map(({ item }) => item.name),
    ['Brand New Thing'],
  )
  await view.refresh()
  const quiet = view.version
  await view.refresh()
  assert.equal(view.version, quiet, 'nothing changed, so nothing is newer')
})

test('a database that was away for a moment costs a refresh, not the view', async () => {
  const shaky = openDb({ url: database.url, poolSize: 2, onConnectionError: () => {} })
  const seen: unknown[] = []
  const view = await openCatalogueView({ db: shaky, clock, onError: (error) => seen.push(error) })
  const listing = sourceListing(REDLINE, { priceMills: mills(777n) })
  await database.db.query(
    sql(
      'test_cut',
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name = 'tradepost'`,
    ),
  )
  await catalog.openIngest('market_a').applyChanges([{ kind: 'upsert', listing }])
  await until('the view caught up', () => view.find(idOf(REDLINE))?.lowest === 777n)
  await view.stop()
  await shaky.close()
})

const TAKE = sql(
  'test_take_listing',
  `update catalog.listing set taken = true
   where id = (select id from catalog.listing where item_id = $1 and not taken order by price_mills limit 1)`,
)
const COUNT_AS_BEFORE = sql(
  'test_count_as_before',
  `update catalog.stock set changed_seq = catalog.begin_change() where item_id = $1`,
)

test('what was bought stays out, whatever count of before comes after it', async () => {
  const view = await openView()
  const listings = [300n, 500n].map((price) => sourceListing(REDLINE, { priceMills: mills(price) }))
  await catalog
    .openIngest('market_a')
    .applyChanges(listings.map((listing) => ({ kind: 'upsert', listing })))
  await view.refresh()
  const shown = (): unknown[] => {
    const { lowest, standardCount } = view.find(idOf(REDLINE))!
    return [lowest, standardCount]
  }
  assert.deepEqual(shown(), [300n, 2])
  await database.db.query(TAKE, [idOf(REDLINE)])
  await view.recount(idOf(REDLINE))
  assert.deepEqual(shown(), [500n, 1])
  // A batch counted the item before it was bought, and its commit is read after it.
  await database.db.query(COUNT_AS_BEFORE, [idOf(REDLINE)])
  await view.refresh()
  assert.deepEqual(shown(), [500n, 1])
  // The index is built anew from the same counts.
  const added = sourceItem({ marketHashName: 'Recoil Case' })
  await database.db.query(COUNT_AS_BEFORE, [idOf(REDLINE)])
  await catalog.refreshItems(sourceOf([...ITEMS, added], 'v2'), null)
  await view.refresh()
  assert.deepEqual(shown(), [500n, 1])
})
