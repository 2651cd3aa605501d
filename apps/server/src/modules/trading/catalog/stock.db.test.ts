import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from '#infra/database/db'
import { mills } from '#kernel/money'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { type Catalog, createCatalog } from './catalog.ts'
import type { FeedEvent, SourceListing } from './ports.ts'
import { COUNTED_MOST, countStock } from './store/stock.ts'
import {
  chunksOf,
  DRAGON_LORE,
  idOf,
  REDLINE,
  RUBY,
  sourceListing,
  sourceOf,
} from './testing/fixtures.ts'
import { seededRandom } from './testing/items.ts'

let database: TestDatabase
let catalog: Catalog

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  await database.db.script(
    `truncate catalog.item, catalog.listing, catalog.stock, catalog.taken_news, catalog.listing_change;
     update catalog.market set enabled = true, online = true`,
  )
  catalog = createCatalog({ db: database.db, clock: manualClock() })
  await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE, RUBY]), null)
})

test('stock is always what a recount of the listings says', async () => {
  const items = [REDLINE, DRAGON_LORE, RUBY]
  const random = seededRandom(7)
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const known: SourceListing[] = []
  const ingests = {
    market_a: catalog.openIngest('market_a'),
    market_b: catalog.openIngest('market_b'),
  }
  for (let round = 0; round < 40; round++) {
    const market = pick(['market_a', 'market_b'] as const)
    const events = Array.from({ length: random(30) }, (): FeedEvent => {
      const listing = known.length > 0 ? pick(known) : null
      if (listing === null || listing.market !== market || random(3) === 0) {
        const delivery = pick(['standard', 'instant'] as const)
        const priceMills = mills(BigInt(1 + random(50)))
        const added = sourceListing(pick(items), { market, delivery, priceMills })
        known.push(added)
        return { kind: 'upsert', listing: added }
      }
      if (random(2) === 0) return { kind: 'remove', rawId: listing.rawId }
      return { kind: 'price', rawId: listing.rawId, priceMills: mills(BigInt(1 + random(50))) }
    })
    await ingests[market].applyChanges(events)
    const listing = pick([...known, sourceListing(REDLINE)])
    const found = await catalog.findListingByRawId(listing.market, listing.rawId)
    if (found !== null) await take(found.id, 1_000_000n)
    await catalog.countTaken()
    assert.deepEqual(await keptStock(), await recountedStock())
  }
})

test('stock that buys ran ahead of is right once their rows are counted', async () => {
  const random = seededRandom(11)
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const ingest = catalog.openIngest('market_a')
  const known: SourceListing[] = []
  for (let round = 0; round < 60; round++) {
    const added = sourceListing(pick([REDLINE, RUBY]), {
      delivery: pick(['standard', 'instant'] as const),
      priceMills: mills(BigInt(1 + random(50))),
    })
    known.push(added)
    const { rawId } = pick(known)
    const found = await catalog.findListingByRawId('market_a', rawId)
    if (found !== null && random(2) === 0) {
      if (!(await take(found.id, 1_000_000n))) await release(found.id)
    }
    await ingest.applyChanges([
      { kind: 'upsert', listing: added },
      pick([
        { kind: 'remove', rawId },
        { kind: 'price', rawId, priceMills: mills(BigInt(1 + random(50))) },
      ] as const),
    ])
    if (round % 20 !== 19) continue
    await catalog.countTaken()
    assert.deepEqual(await keptStock(), await recountedStock())
  }
})

test('of an item with many listings the cheapest price is that of now, and the count that of the table', async () => {
  const listings = Array.from({ length: COUNTED_MOST + 1 }, (_, i) =>
    sourceListing(REDLINE, { priceMills: mills(BigInt(100 + i)) }),
  )
  await catalog.openIngest('market_a').applySnapshot(chunksOf(listings))
  const stockNow = async () => {
    const found = await countStock(database.db, [idOf(REDLINE)])
    const { standard, standardCount } = found.find(({ market }) => market === 'market_a') ?? {}
    return [standard, standardCount]
  }
  assert.deepEqual(await stockNow(), [100n, COUNTED_MOST + 1])
  const cheapest = await catalog.findListingByRawId('market_a', listings[0]?.rawId ?? '')
  assert.ok(await take(cheapest?.id ?? 0n, 1_000_000n))
  assert.deepEqual(await stockNow(), [101n, COUNTED_MOST + 1])
  // The table follows, and few enough are counted.
  await catalog.countTaken()
  assert.deepEqual(await stockNow(), [101n, COUNTED_MOST])
  const next = await catalog.findListingByRawId('market_a', listings[1]?.rawId ?? '')
  assert.ok(await take(next?.id ?? 0n, 1_000_000n))
  assert.deepEqual(await stockNow(), [102n, COUNTED_MOST - 1])
})

test('an item is counted anew at once where its count and its cheapest price would not agree', async () => {
  const ingest = catalog.openIngest('market_a')
  const [bought, other] = [sourceListing(REDLINE), sourceListing(REDLINE)]
  await ingest.applyChanges([bought, other].map((listing) => ({ kind: 'upsert', listing })))
  const found = await catalog.findListingByRawId('market_a', bought.rawId)
  assert.ok(await take(found?.id ?? 0n, 1_000_000n))
  await ingest.applyChanges([{ kind: 'remove', rawId: other.rawId }])
  assert.deepEqual(await keptStock(), await recountedStock())
})

test('an item that loses a listing to another one before a buy of it is counted is counted anew', async () => {
  const ingest = catalog.openIngest('market_a')
  const [moved, kept] = [sourceListing(REDLINE), sourceListing(REDLINE)]
  await ingest.applyChanges([moved, kept].map((listing) => ({ kind: 'upsert', listing })))
  const { id = 0n } = (await catalog.findListingByRawId('market_a', moved.rawId)) ?? {}
  const moveTo = (item: typeof REDLINE) =>
    ingest.applyChanges([
      { kind: 'upsert', listing: { ...sourceListing(item), rawId: moved.rawId } },
    ])
  assert.ok(await take(id, 1_000_000n))
  await moveTo(DRAGON_LORE)
  await catalog.countTaken()
  assert.deepEqual(await keptStock(), await recountedStock())
  await release(id)
  await moveTo(REDLINE)
  await catalog.countTaken()
  assert.deepEqual(await keptStock(), await recountedStock())
})

const TAKE = sql('test_take', 'select catalog.take_listing($1, $2) as taken')
async function take(id: bigint, expectedMills: bigint): Promise<boolean> {
  const [row] = await database.db.query<{ taken: boolean }>(TAKE, [id, expectedMills])
  return row?.taken ?? false
}

const release = (id: bigint) =>
  database.db.query(sql('test_release', 'select catalog.release_listing($1)'), [id])

const keptStock = (): Promise<object[]> =>
  database.db.query(
    sql(
      'test_kept_stock',
      `select item_id, market, standard_mills, instant_mills, standard_count, instant_count
       from catalog.stock where standard_count + instant_count > 0 order by 1, 2`,
    ),
  )

const recountedStock = (): Promise<object[]> =>
  database.db.query(
    sql(
      'test_recounted_stock',
      `select item_id, market, min(case when delivery = 'standard' then price_mills end) as standard_mills,
         min(case when delivery = 'instant' then price_mills end) as instant_mills,
         sum(case when delivery = 'standard' then 1 else 0 end)::integer as standard_count,
         sum(case when delivery = 'instant' then 1 else 0 end)::integer as instant_count
       from catalog.listing where live and not taken group by 1, 2 order by 1, 2`,
    ),
  )
