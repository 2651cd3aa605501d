import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from '#infra/database/db'
import { mills } from '#kernel/money'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { type Catalog, createCatalog } from './catalog.ts'
import { SNAPSHOT_AGE_MS } from './ingest.ts'
import type { FeedEvent, SourceListing } from './ports.ts'
import type { SellerQuery } from './store/listings.ts'
import { listChangedStock } from './store/stock.ts'
import {
  chunksOf,
  DRAGON_LORE,
  idOf,
  REDLINE,
  RUBY,
  sourceItem,
  sourceListing,
  sourceOf,
} from './testing/fixtures.ts'
import { seededRandom } from './testing/items.ts'

const clock = manualClock()
let database: TestDatabase
let catalog: Catalog

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  await database.db.script(
    `truncate catalog.item, catalog.listing, catalog.stock, catalog.taken_news, catalog.sale_news,
       catalog.item_day;
     update catalog.market set enabled = true, online = true, snapshot_at = null;
     update catalog.observation set observed_at = null`,
  )
  catalog = createCatalog({ db: database.db, clock })
  await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE, RUBY]), null)
})

test('a listing’s price is held against its item’s reference, its sales and what hangs on it', async () => {
  const bare = sourceListing(REDLINE)
  const charmed = sourceListing(RUBY, { charm: { name: 'Charm | Hot', pattern: 12, iconUrl: 'x' } })
  await catalog.openIngest('market_a').applySnapshot(chunksOf([bare, charmed]))
  const [plain, decorated, unknown] = await Promise.all(
    [bare.rawId, charmed.rawId, '404'].map((rawId) => catalog.referenceOf('market_a', rawId)),
  )
  assert.deepEqual(plain, {
    referenceMills: REDLINE.referencePriceMills,
    volume: REDLINE.volume,
    isDecorated: false,
  })
  assert.equal(decorated?.isDecorated, true)
  assert.equal(unknown, null)
})

const WRITE_AS_BEFORE = sql(
  'test_write_as_before',
  'update catalog.listing set price_mills = $2 where raw_id = $1',
)

describe('snapshots', () => {
  test('a snapshot puts its listings up for sale, and reading it again writes nothing', async () => {
    const ingest = catalog.openIngest('market_a')
    const listings = [sourceListing(REDLINE), sourceListing(DRAGON_LORE, { delivery: 'instant' })]
    const first = await ingest.applySnapshot(chunksOf(listings))
    assert.deepEqual([first.seen, first.inserted, first.removed], [2, 2, 0])
    const again = await ingest.applySnapshot(chunksOf(listings))
    assert.deepEqual([again.inserted, again.updated, again.removed], [0, 0, 0])
    const found = await catalog.findListingByRawId('market_a', listings[0]!.rawId)
    assert.ok(found?.available && found.marketAvailable)
    assert.equal(found.itemId, idOf(REDLINE))
    assert.equal(found.description.wear, '0.2154')
    assert.deepEqual([found], await catalog.getListings([found.id]))
  })

  test('a snapshot corrects what a live change wrote since the one before, also to what that one said', async () => {
    const listing = sourceListing(REDLINE, { priceMills: mills(500n) })
    const ingest = catalog.openIngest('market_a')
    await ingest.applySnapshot(chunksOf([listing]))
    for (const event of [
      { kind: 'price', rawId: listing.rawId, priceMills: mills(900n) },
      { kind: 'upsert', listing: { ...listing, priceMills: mills(700n) } },
      { kind: 'remove', rawId: listing.rawId },
    ] as const) {
      await ingest.applyChanges([event])
      clock.advance(SNAPSHOT_AGE_MS + 1)
      await ingest.applySnapshot(chunksOf([listing]))
      const found = await catalog.findListingByRawId('market_a', listing.rawId)
      assert.deepEqual([found?.available, found?.priceMills], [true, 500n], event.kind)
    }
  })

  test('what a snapshot says again is not sent to the database, by whichever worker reads it', async () => {
    const listings = [sourceListing(REDLINE), sourceListing(DRAGON_LORE)]
    await catalog.openIngest('market_a').applySnapshot(chunksOf(listings))
    const before = await catalogSeq()
    const [changed, same] = listings as [SourceListing, SourceListing]
    const report = await catalog
      .openIngest('market_a')
      .applySnapshot(chunksOf([same], [{ ...changed, priceMills: mills(7n) }], [same]))
    assert.deepEqual([report.seen, report.updated], [3, 1])
    assert.equal((await catalogSeq()) - before, 1n)
  })

  test('what the release before wrote is not what the market said: a price that went there and back is read', async () => {
    const listing = sourceListing(REDLINE)
    await catalog.openIngest('market_a').applySnapshot(chunksOf([listing]))
    // It knows no hashes, and writes beside this release during an upgrade.
    await database.db.query(WRITE_AS_BEFORE, [listing.rawId, 9_999n])
    await catalog.openIngest('market_a').applySnapshot(chunksOf([listing]))
    const found = await catalog.findListingByRawId('market_a', listing.rawId)
    assert.equal(found?.priceMills, listing.priceMills)
  })

  test('what a snapshot does not show is gone, on its own market only', async () => {
    const kept = sourceListing(REDLINE)
    const gone = sourceListing(REDLINE)
    const other = sourceListing(REDLINE, { market: 'market_b' })
    const ingest = catalog.openIngest('market_a')
    await ingest.applySnapshot(chunksOf([kept, gone]))
    await catalog.openIngest('market_b').applySnapshot(chunksOf([other]))
    const report = await ingest.applySnapshot(chunksOf([kept]))
    assert.equal(report.removed, 1)
    assert.deepEqual(await availability([kept, gone, other]), [true, false, true])
  })

  test('a listing that comes back has the id that it had', async () => {
    const listing = sourceListing(REDLINE)
    const ingest = catalog.openIngest('market_a')
    await ingest.applySnapshot(chunksOf([listing]))
    const before = await catalog.findListingByRawId('market_a', listing.rawId)
    await ingest.applySnapshot(chunksOf([]))
    await ingest.applySnapshot(chunksOf([{ ...listing, priceMills: mills(5n) }]))
    const after = await catalog.findListingByRawId('market_a', listing.rawId)
    assert.equal(after?.id, before?.id)
    assert.equal(after?.priceMills, 5n)
  })

  test('a live change is newer than a snapshot that was being read', async () => {
    const removed = sourceListing(REDLINE)
    const added = sourceListing(REDLINE)
    const ingest = catalog.openIngest('market_a')
    await ingest.applySnapshot(chunksOf([removed]))
    async function* chunks(): AsyncGenerator<readonly SourceListing[]> {
      yield [sourceListing(DRAGON_LORE)]
      await ingest.applyChanges([
        { kind: 'upsert', listing: added },
        { kind: 'remove', rawId: removed.rawId },
      ])
      yield [removed]
    }
    const report = await ingest.applySnapshot(chunks())
    assert.equal(report.contested, 2)
    assert.deepEqual(await availability([removed, added]), [false, true])
    // Once the change is old, a snapshot decides again.
    clock.advance(SNAPSHOT_AGE_MS + 1)
    await ingest.applySnapshot(chunksOf([removed]))
    assert.deepEqual(await availability([removed, added]), [true, false])
  })

  test('a live change that a snapshot confirms is not contested, and the snapshot adds what the change left out', async () => {
    const [added, gone] = [sourceListing(REDLINE), sourceListing(REDLINE)]
    const ingest = catalog.openIngest('market_a')
    await ingest.applySnapshot(chunksOf([gone]))
    await ingest.applyChanges([
      { kind: 'upsert', listing: { ...added, paintSeed: null } },
      { kind: 'remove', rawId: gone.rawId },
    ])
    const report = await ingest.applySnapshot(chunksOf([{ ...added, paintSeed: 7 }]))
    assert.deepEqual([report.contested, report.updated, report.removed], [0, 1, 0])
    const found = await catalog.findListingByRawId('market_a', added.rawId)
    assert.equal(found?.description.paintSeed, 7)
  })

  test('a snapshot that lacks nearly everything is not believed the first time', async () => {
    const listings = Array.from({ length: 600 }, () => sourceListing(REDLINE))
    const ingest = catalog.openIngest('market_a')
    await ingest.applySnapshot(chunksOf(listings))
    const first = await ingest.applySnapshot(chunksOf([]))
    assert.deepEqual([first.suspicious, first.removed], [true, 0])
    const second = await ingest.applySnapshot(chunksOf([]))
    assert.deepEqual([second.suspicious, second.removed], [false, 600])
  })

  test('a snapshot that breaks off removes nothing', async () => {
    const listing = sourceListing(REDLINE)
    const ingest = catalog.openIngest('market_a')
    await ingest.applySnapshot(chunksOf([listing]))
    async function* broken(): AsyncGenerator<readonly SourceListing[]> {
      yield [sourceListing(DRAGON_LORE)]
      throw new Error('market away')
    }
    await assert.rejects(ingest.applySnapshot(broken()), /market away/)
    assert.deepEqual(await availability([listing]), [true])
  })

  test('invalid listings are dropped and counted, and the rest is taken', async () => {
    const honest = sourceListing(REDLINE)
    const report = await catalog
      .openIngest('market_a')
      .applySnapshot(
        chunksOf([
          { ...sourceListing(REDLINE), priceMills: mills(-5n) },
          { ...sourceListing(REDLINE), marketHashName: 'AK-47 | No Such Thing' },
          { ...sourceListing(REDLINE), rawId: 'x'.repeat(5000) },
          null as unknown as SourceListing,
          honest,
          { ...honest, priceMills: mills(777n) },
        ]),
      )
    assert.deepEqual(report.dropped, { form: 2, price: 1, size: 0, 'unknown-item': 1 })
    assert.equal(report.inserted, 1)
    const found = await catalog.findListingByRawId('market_a', honest.rawId)
    assert.equal(found?.priceMills, 777n)
  })
})

describe('live changes', () => {
  test('changes of one listing in one batch come to their sum', async () => {
    const ingest = catalog.openIngest('market_a')
    const [a, b, c] = [sourceListing(REDLINE), sourceListing(REDLINE), sourceListing(REDLINE)]
    const events: FeedEvent[] = [
      { kind: 'upsert', listing: a },
      { kind: 'price', rawId: a.rawId, priceMills: mills(1n) },
      { kind: 'upsert', listing: b },
      { kind: 'remove', rawId: b.rawId },
      { kind: 'price', rawId: b.rawId, priceMills: mills(1n) },
      { kind: 'remove', rawId: c.rawId },
      { kind: 'upsert', listing: c },
    ]
    await ingest.applyChanges(events)
    assert.deepEqual(await availability([a, b, c]), [true, null, true])
    assert.equal((await catalog.findListingByRawId('market_a', a.rawId))?.priceMills, 1n)
  })

  test('a price of a listing that is not live, or that is no price, changes nothing', async () => {
    const ingest = catalog.openIngest('market_a')
    const listing = sourceListing(REDLINE)
    await ingest.applySnapshot(chunksOf([listing]))
    const report = await ingest.applyChanges([
      { kind: 'price', rawId: 'never-seen', priceMills: mills(9n) },
      { kind: 'price', rawId: listing.rawId, priceMills: mills(0n) },
    ])
    assert.deepEqual([report.updated, report.dropped.price], [0, 1])
    assert.equal((await catalog.findListingByRawId('market_a', listing.rawId))?.priceMills, 12_340n)
  })

  test('an item that was new to us is known as soon as the item source names it', async () => {
    const ingest = catalog.openIngest('market_a')
    await ingest.applyChanges([{ kind: 'upsert', listing: sourceListing(REDLINE) }])
    const novel = { ...REDLINE, marketHashName: 'AK-47 | Novel (Field-Tested)' }
    await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE, RUBY, novel]), null)
    clock.advance(60_000)
    const report = await ingest.applyChanges([{ kind: 'upsert', listing: sourceListing(novel) }])
    assert.deepEqual([report.inserted, report.dropped['unknown-item']], [1, 0])
  })
})

describe('taking', () => {
  test('the cheapest are described as they are shown', async () => {
    const sticker = {
      name: 'Sticker | Flame',
      slot: 1,
      wear: 0.25,
      iconUrl: 'https://cdn.example/s.png',
    }
    const listings = [
      sourceListing(DRAGON_LORE, { stickers: [sticker], wear: '0.0312' }),
      ...['0.069', '0.07', '0.2', '0.44', '0.9', null].map((wear) =>
        sourceListing(BARE, { wear, paintSeed: null, delivery: 'instant' }),
      ),
      sourceListing(RUBY, { charm: { name: 'Charm | Hot', pattern: 12, iconUrl: 'x' } }),
    ]
    await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE, RUBY, BARE]), null)
    await catalog.openIngest('market_a').applySnapshot(chunksOf(listings))
    let described = 0
    for (const item of [DRAGON_LORE, BARE, RUBY]) {
      const taken = await database.db.query<{ id: bigint; description: unknown }>(TAKE_CHEAPEST, [
        idOf(item),
      ])
      const shown = await catalog.getListings(taken.map(({ id }) => id))
      for (const [i, { description }] of taken.entries()) {
        assert.deepEqual(description, shown[i]?.description)
        assert.equal(shown[i]?.available, false)
        described++
      }
    }
    assert.equal(described, listings.length)
  })

  test('of 32 buyers of one listing exactly one takes it', async () => {
    const { id } = await oneListing()
    const answers = await Promise.all(Array.from({ length: 32 }, () => take(id, 12_340n)))
    assert.equal(answers.filter(Boolean).length, 1)
  })

  test('a listing is taken up to the expected price, and not above it', async () => {
    const { id } = await oneListing()
    assert.equal(await take(id, 12_339n), false)
    assert.equal(await take(id, 12_340n), true)
    assert.equal(await take(id, 12_340n), false)
    assert.equal(await take(999_999_999n, 12_340n), false)
  })

  test('a listing that is gone cannot be taken', async () => {
    const { id, source } = await oneListing()
    await catalog.openIngest('market_a').applyChanges([{ kind: 'remove', rawId: source.rawId }])
    assert.equal(await take(id, 12_340n), false)
  })

  test('a taken listing leaves the stock and comes back when it is released', async () => {
    const { id } = await oneListing()
    await take(id, 12_340n)
    assert.equal(await catalog.countTaken(), false)
    assert.equal((await stockOf(idOf(REDLINE), 'market_a'))?.standardCount, 0)
    await database.db.query(sql('test_release', 'select catalog.release_listing($1)'), [id])
    await catalog.countTaken()
    assert.equal((await stockOf(idOf(REDLINE), 'market_a'))?.standardCount, 1)
    assert.equal(await take(id, 12_340n), true)
  })

  test('a rolled-back take is never reported', async () => {
    const { id } = await oneListing()
    await assert.rejects(
      database.db.transaction(async (tx) => {
        await tx.query(TAKE, [id, 12_340n])
        throw new Error('no money')
      }),
    )
    assert.equal(await catalog.countTaken(), false)
    assert.equal((await catalog.getListings([id]))[0]?.available, true)
  })

  test('baskets and batches over the same listings wait for each other and never deadlock', async () => {
    const sources = Array.from({ length: 12 }, () => sourceListing(REDLINE))
    const ingest = catalog.openIngest('market_a')
    await ingest.applySnapshot(chunksOf(sources))
    const ids = (
      await Promise.all(sources.map(({ rawId }) => catalog.findListingByRawId('market_a', rawId)))
    ).map((listing) => listing!.id)
    const random = seededRandom(5)
    const baskets = async (): Promise<void> => {
      for (let round = 0; round < 40; round++) {
        const wanted = ids.filter(() => random(3) === 0).sort((a, b) => (a < b ? -1 : 1))
        await database.db.transaction(async (tx) => {
          for (const id of wanted) await tx.query(TAKE, [id, 1_000_000n])
          const release = sql('test_release', 'select catalog.release_listing($1)')
          for (const id of wanted) await tx.query(release, [id])
        })
      }
    }
    const batches = async (): Promise<void> => {
      for (let round = 0; round < 40; round++) {
        const events = sources.map((source, i): FeedEvent => {
          const priceMills = mills(BigInt(1000 + random(1000)))
          if ((i + round) % 3 === 0) return { kind: 'remove', rawId: source.rawId }
          if ((i + round) % 3 === 1) return { kind: 'price', rawId: source.rawId, priceMills }
          return { kind: 'upsert', listing: { ...source, priceMills } }
        })
        await ingest.applyChanges(events)
      }
    }
    await Promise.all([baskets(), baskets(), baskets(), batches()])
    const [row] = await database.db.query<{ deadlocks: bigint }>(
      sql(
        'test_deadlocks',
        'select deadlocks from pg_stat_database where datname = current_database()',
      ),
    )
    assert.equal(row?.deadlocks, 0n)
  })

  test('a buy updates its listing in place, without touching an index', async () => {
    const { id } = await oneListing()
    const hot = sql(
      'test_hot',
      `select pg_stat_get_xact_tuples_hot_updated('catalog.listing'::regclass) as hot,
         pg_stat_get_xact_tuples_updated('catalog.listing'::regclass) as updated`,
    )
    const counted = await database.db.transaction(async (tx) => {
      const [before] = await tx.query<{ hot: bigint; updated: bigint }>(hot)
      await tx.query(TAKE, [id, 12_340n])
      const [after] = await tx.query<{ hot: bigint; updated: bigint }>(hot)
      return [after!.hot - before!.hot, after!.updated - before!.updated]
    })
    assert.deepEqual(counted, [1n, 1n])
  })
})

describe('markets', () => {
  test('a listing says whether its market is switched on and answering', async () => {
    const { id } = await oneListing()
    const isAvailable = async (): Promise<unknown> =>
      (await catalog.getListings([id]))[0]?.marketAvailable
    assert.equal(await isAvailable(), true)
    assert.equal(await catalog.markMarket('market_a', down), true)
    assert.equal(await isAvailable(), false)
    assert.equal(await catalog.isMarketAvailable('market_a'), false)
    assert.equal(await catalog.markMarket('market_a', down), false)
    assert.equal(await catalog.markMarket('market_a', { ...down, online: true }), true)
    await catalog.setMarketEnabled('market_a', false)
    assert.equal(await isAvailable(), false)
    assert.equal(await catalog.isMarketAvailable('market_b'), true)
  })

  test('a seller of an item at a price is one that is up, or else one that is away', async () => {
    const { source } = await oneListing()
    const { priceMills } = source
    const found = (overrides: Partial<SellerQuery>) =>
      catalog.findSeller({
        itemId: idOf(REDLINE),
        ceilingMills: priceMills,
        delivery: 'standard',
        ...overrides,
      })
    assert.deepEqual(await found({}), { market: 'market_a', available: true })
    assert.equal(await found({ ceilingMills: mills(priceMills - 1n) }), null)
    const isInstant = source.delivery === 'instant'
    assert.equal((await found({ delivery: 'instant' })) !== null, isInstant)
    await catalog.markMarket('market_a', down)
    assert.deepEqual(await found({}), { market: 'market_a', available: false })
    await catalog
      .openIngest('market_b')
      .applyChanges([{ kind: 'upsert', listing: sourceListing(REDLINE) }])
    assert.deepEqual(await found({ ceilingMills: mills(9_000_000n) }), {
      market: 'market_b',
      available: true,
    })
  })

  test('a market that is away has the cheapest listing of nothing', async () => {
    await oneListing()
    await catalog.markMarket('market_a', down)
    assert.deepEqual(await catalog.listCheapest([idOf(REDLINE)]), [])
  })
})

describe('items', () => {
  test('an unchanged source writes nothing; a dropped item is hidden, not forgotten', async () => {
    assert.equal(await catalog.refreshItems(sourceOf([REDLINE]), 'v1'), null)
    const same = await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE, RUBY], 'v2'), 'v1')
    assert.deepEqual([same?.written, same?.unlisted, same?.etag], [0, 0, 'v2'])
    const fewer = await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE], 'v3'), 'v2')
    assert.deepEqual([fewer?.written, fewer?.unlisted], [0, 1])
    const back = await catalog.refreshItems(sourceOf([REDLINE, DRAGON_LORE, RUBY], 'v4'), 'v3')
    assert.deepEqual([back?.written, back?.unlisted], [1, 0])
  })

  test('items that cannot be are dropped and counted', async () => {
    const many = Array.from({ length: 60 }, (_, at) => sourceItem({ marketHashName: `Item ${at}` }))
    const report = await catalog.refreshItems(
      sourceOf([
        ...many,
        REDLINE,
        DRAGON_LORE,
        RUBY,
        { ...REDLINE, marketHashName: '' },
        { ...REDLINE, marketHashName: 'x', category: 'Ghost' as 'Normal' },
        { ...REDLINE, marketHashName: 'y', floatRange: [1, 0] },
        { ...REDLINE, marketHashName: 'broken \uFFFD' },
        { ...REDLINE, marketHashName: 'z', iconUrl: 'https://cdn.example/\0' },
      ]),
      null,
    )
    assert.deepEqual([report?.seen, report?.dropped, report?.refused], [63, 5, null])
  })
})

describe('history', () => {
  test('sales and cheapest listings make the days, and sales make popularity', async () => {
    clock.advance(86_400_000)
    await oneListing()
    await recordSale(idOf(REDLINE), 1300n)
    await recordSale(idOf(REDLINE), 1100n)
    assert.equal(await catalog.countSales(), false)
    const [day] = await catalog.listHistory(idOf(REDLINE))
    assert.deepEqual(
      { ...day, date: undefined },
      { date: undefined, volume: 2, lowest: 1100n, median: 1100n, highest: 1300n },
    )
    assert.equal(await catalog.observeDay(), false, 'no market has been read whole')
    await database.db.script('update catalog.market set snapshot_at = now()')
    assert.equal(await catalog.observeDay(), true)
    assert.equal(await catalog.observeDay(), false, 'not due again')
    const [seen] = await catalog.listHistory(idOf(REDLINE))
    assert.deepEqual(
      [seen?.volume, seen?.lowest, seen?.median, seen?.highest],
      [2, 1100n, 1234n, 1300n],
    )
    assert.deepEqual(await ownSales(), [2])

    clock.advance(31 * 86_400_000)
    assert.equal(await catalog.observeDay(), true)
    assert.deepEqual(await ownSales(), [])
    const days = await catalog.listHistory(idOf(REDLINE))
    assert.equal(days.length, 2)
    assert.ok(days[0]!.date < days[1]!.date)
  })

  test('an item knows its latest sale, and those of its last seven days', async () => {
    const salesOf = async (): Promise<unknown[]> => {
      const statement = sql(
        'test_sales_of_item',
        'select sales_7d, last_sale_cents, last_sale_at from catalog.item where id = $1',
      )
      const [row] = await database.db.query<Record<string, unknown>>(statement, [idOf(RUBY)])
      return Object.values(row ?? {})
    }
    assert.deepEqual(await salesOf(), [0, null, null])
    await recordSale(idOf(RUBY), 700n)
    clock.advance(1000)
    const soldAt = clock.now()
    await recordSale(idOf(RUBY), 900n)
    await catalog.countSales()
    assert.deepEqual(await salesOf(), [2, 900n, soldAt])
    clock.advance(6 * 86_400_000)
    await recordSale(idOf(REDLINE), 100n)
    await catalog.countSales()
    await database.db.script('update catalog.market set snapshot_at = now()')
    await catalog.observeDay()
    assert.deepEqual(await salesOf(), [2, 900n, soldAt])
    clock.advance(86_400_000)
    await catalog.observeDay()
    assert.deepEqual(await salesOf(), [0, 900n, soldAt], 'too long ago to be counted')
  })

  test('listings long gone are forgotten, taken ones later', async () => {
    const { id: gone, source } = await oneListing()
    const { id: taken, source: takenSource } = await oneListing()
    const { id: live } = await oneListing()
    await take(taken, 12_340n)
    const removals = [source, takenSource].map(({ rawId }) => ({ kind: 'remove' as const, rawId }))
    await catalog.openIngest('market_a').applyChanges(removals)
    const left = async (): Promise<boolean[]> =>
      (await catalog.getListings([gone, taken, live])).map((listing) => listing !== null)
    clock.advance(8 * 86_400_000)
    assert.equal(await catalog.purgeGone(), false)
    assert.deepEqual(await left(), [false, true, true])
    clock.advance(30 * 86_400_000)
    await catalog.purgeGone()
    assert.deepEqual(await left(), [false, false, true])
  })
})

/** A knife without a finish: its name has no exterior, its copies have one by their wear. */
const BARE = sourceItem({ marketHashName: '★ Karambit', weapon: 'Karambit', paintIndex: null })
const TAKE_CHEAPEST = sql(
  'test_take_cheapest',
  "select id, description from catalog.take_cheapest($1, 1000000, 'standard', 100, '{}', false)",
)
const TAKE = sql('test_take', 'select catalog.take_listing($1, $2) as taken')

const take = async (id: bigint, expectedMills: bigint): Promise<boolean> =>
  (await database.db.query<{ taken: boolean }>(TAKE, [id, expectedMills]))[0]!.taken

const query = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  database.db.query<Row>(sql('', text), values)

const recordSale = (itemId: string, priceCents: bigint): Promise<unknown> =>
  query('select catalog.record_sale($1, $2, $3)', [itemId, priceCents, clock.now()])

const OWN_SALES = 'select own_sales from catalog.item where own_sales > 0'
const ownSales = async (): Promise<number[]> =>
  (await query<{ own_sales: number }>(OWN_SALES)).map((row) => row.own_sales)

async function oneListing(): Promise<{ id: bigint; source: SourceListing }> {
  const source = sourceListing(REDLINE)
  await catalog.openIngest('market_a').applyChanges([{ kind: 'upsert', listing: source }])
  const found = await catalog.findListingByRawId('market_a', source.rawId)
  return { id: found!.id, source }
}

const availability = (listings: readonly SourceListing[]): Promise<(boolean | null)[]> =>
  Promise.all(
    listings.map(async ({ market, rawId }) => {
      const found = await catalog.findListingByRawId(market, rawId)
      return found === null ? null : found.available
    }),
  )

/** How many batches there have been. */
const catalogSeq = async (): Promise<bigint> => {
  const text = 'select last_value as last from catalog.change_seq'
  return (await query<{ last: bigint }>(text))[0]!.last
}

const stockOf = async (itemId: string, market: string) =>
  (await listChangedStock(database.db, -1n)).find(
    (stock) => stock.itemId === itemId && stock.market === market,
  )

const down = { online: false, detail: 'HTTP 502', balanceMills: null }
