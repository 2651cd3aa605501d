import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from '#infra/database/db'
import { mills } from '#kernel/money'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { createCatalog } from './catalog.ts'
import type { MarketIngest } from './ingest.ts'
import type { SourceListing } from './ports.ts'
import { chunksOf, REDLINE, sourceListing, sourceOf } from './testing/fixtures.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

let database: TestDatabase
let ingest: MarketIngest

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  await database.db.script('truncate catalog.item, catalog.listing, catalog.stock')
  const catalog = createCatalog({ db: database.db, clock: manualClock() })
  await catalog.refreshItems(sourceOf([REDLINE]), null)
  ingest = catalog.openIngest('market_a')
})

const COUNT_BATCHES = sql(
  'test_count_batches',
  'select count(*)::int n from catalog.listing_change',
)

test('of a large market in which little changed, that little is one batch', async () => {
  const listings = Array.from({ length: 3000 }, () => sourceListing(REDLINE))
  const chunks = (price: bigint) =>
    [0, 1000, 2000].map((from) =>
      listings
        .slice(from, from + 1000)
        .map((listing, i) => (i === 0 ? { ...listing, priceMills: mills(price) } : listing)),
    )
  await ingest.applySnapshot(chunksOf(...chunks(5n)))
  await database.db.script('truncate catalog.listing_change')
  const report = await ingest.applySnapshot(chunksOf(...chunks(6n)))
  assert.deepEqual([report.inserted, report.updated, report.removed], [0, 3, 0])
  assert.deepEqual(await database.db.query(COUNT_BATCHES, []), [{ n: 1 }])
})

test('memory after three whole reads is that after one', async () => {
  const bytesHeld = (): number => {
    collectGarbage()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  async function* chunks(): AsyncGenerator<readonly SourceListing[]> {
    for (let from = 0; from < 10_000; from += 1000) {
      yield Array.from({ length: 1000 }, (_, i) =>
        sourceListing(REDLINE, { rawId: String(from + i) }),
      )
    }
  }
  const read = async () => assert.equal((await ingest.applySnapshot(chunks())).seen, 10_000)
  await read()
  const afterOne = bytesHeld()
  await read()
  await read()
  // What a read knows of ten thousand listings takes half a million.
  const more = bytesHeld() - afterOne
  assert.ok(more < 700_000, `${more} bytes more`)
})
