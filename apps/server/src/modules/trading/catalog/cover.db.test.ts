// What is for sale at a market by the money that we have there.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from '#infra/database/db'
import { manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { mills } from '#kernel/money'
import { type Catalog, createCatalog } from './catalog.ts'
import { chunksOf, idOf, REDLINE, sourceListing, sourceOf } from './testing/fixtures.ts'

const clock = manualClock()
let database: TestDatabase
let catalog: Catalog

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  await database.db.script(
    `truncate catalog.listing, catalog.stock, catalog.taken_news;
     update catalog.market set enabled = true, online = true, snapshot_at = null, cover_mills = null`,
  )
  catalog = createCatalog({ db: database.db, clock })
  await catalog.refreshItems(sourceOf([REDLINE]), null)
})

describe('a market whose account has so much to spend', () => {
  const cover = (amount: number | null) =>
    database.db.query(sql('test.cover', `select catalog.cover_market('market_a', $1, $2)`), [
      ...[amount, clock.now()],
    ])
  const given = async () => {
    const [cheap, dear] = [10_000n, 20_000n].map((price) =>
      sourceListing(REDLINE, { priceMills: mills(price) }),
    )
    assert.ok(cheap && dear)
    await catalog.openIngest('market_a').applySnapshot(chunksOf([cheap, dear]))
    const available = async () =>
      Promise.all(
        [cheap, dear].map(
          async ({ rawId }) =>
            (await catalog.findListingByRawId('market_a', rawId))?.marketAvailable,
        ),
      )
    return { available }
  }
  const itemId = idOf(REDLINE)
  const seller = (ceilingMills: bigint) =>
    catalog.findSeller({ itemId, ceilingMills: mills(ceilingMills), delivery: 'standard' })
  const TAKE = sql(
    'test.take_covered',
    `select price_mills "priceMills" from catalog.take_cheapest($1, 50000, 'standard', 2, '{}', true)`,
  )

  test('sells what it covers, to buyers and to quick-buys, and shows the rest', async () => {
    const { available } = await given()
    await cover(15_000)
    assert.deepEqual(await available(), [true, false])
    assert.deepEqual(await seller(50_000n), { market: 'market_a', available: true })
    await cover(9_999)
    assert.deepEqual(await seller(50_000n), { market: 'market_a', available: false })
    await cover(15_000)
    assert.deepEqual(await database.db.query(TAKE, [itemId]), [{ priceMills: 10_000n }])
  })

  test('shows and sells nothing while it has none, and is back with the money', async () => {
    const { available } = await given()
    await cover(0)
    assert.deepEqual(await available(), [false, false])
    assert.deepEqual(await catalog.readCheapest([itemId]), [])
    assert.deepEqual(await database.db.query(TAKE, [itemId]), [])
    await cover(null)
    assert.deepEqual(await available(), [true, true])
  })

  test('is a change of the catalogue only when it leaves the shop or comes back', async () => {
    const changes = async () => {
      const count = sql(
        'test.changes',
        'select count(*)::int n from catalog.listing_change where market is not null',
      )
      const [row] = await database.db.query<{ n: number }>(count)
      return row?.n ?? 0
    }
    const before = await changes()
    for (const amount of [15_000, 14_000, null, 13_000]) await cover(amount)
    assert.equal(await changes(), before)
    for (const amount of [0, 0, 5, null, 0, null]) await cover(amount)
    assert.equal(await changes(), before + 4)
  })
})
