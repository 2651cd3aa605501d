// The lists that the catalogue is made from: what is not believed changes nothing, prices come apart from
// items, and what a market sells is for sale before the list of items names it.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from '#infra/database/db'
import { mills } from '#kernel/money'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { type Catalog, createCatalog } from './catalog.ts'
import { itemIdOf } from './item.ts'
import type { ListedPrice, PriceList, SourceItem } from './ports.ts'
import { chunksOf, REDLINE, RUBY, sourceItem, sourceListing, sourceOf } from './testing/fixtures.ts'

const clock = manualClock()
const { signal } = new AbortController()
const APART = { pricesApart: true }
const MANY = Array.from({ length: 30 }, (_, at) => sourceItem({ marketHashName: `Item ${at}` }))
/** In the published form, which names no prices. */
const unpriced = (item: SourceItem): SourceItem => ({
  ...item,
  referencePriceMills: null,
  volume: null,
})
let database: TestDatabase
let catalog: Catalog

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  await database.db.script(
    `truncate catalog.item, catalog.listing, catalog.stock, catalog.unknown_name, catalog.source_list;
     update catalog.market set enabled = true, online = true`,
  )
  catalog = createCatalog({ db: database.db, clock })
})

const ITEMS = sql(
  'test_items',
  `select market_hash_name as name, reference_price_mills as mills, volume, quotable, item_type, icon_url,
     listed, stub
   from catalog.item order by market_hash_name, phase`,
)
interface ItemRow {
  name: string
  mills: bigint
  volume: number
  quotable: boolean
  item_type: string
  icon_url: string
  listed: boolean
  stub: boolean
}
const UNKNOWN_NAMES = sql('test_unknown_names', 'select market_hash_name from catalog.unknown_name')
const items = () => database.db.query<ItemRow>(ITEMS)
const itemNamed = async (wanted: string): Promise<ItemRow | undefined> =>
  (await items()).find(({ name }) => name === wanted)
const stateOf = async (list: string) =>
  (await catalog.listStates()).find(({ name }) => name === list)

describe('a list of items', () => {
  test('half a catalogue changes nothing', async () => {
    await catalog.refreshItems(sourceOf(MANY), null)
    const before = await items()
    const half = MANY.slice(0, 14).map((item) => ({ ...item, name: 'Another' }))
    const report = await catalog.refreshItems(sourceOf(half, 'v2'), 'v1')
    assert.match(report?.refused ?? '', /lacks 16 of 30 items/)
    assert.deepEqual([report?.written, report?.unlisted, report?.etag], [0, 0, null])
    assert.deepEqual(await items(), before)
    assert.match((await stateOf('items'))?.refused ?? '', /lacks/)
    await catalog.refreshItems(sourceOf(MANY, 'v3'), null)
    assert.equal((await stateOf('items'))?.refused, null)
  })

  test('a tenth of broken rows, names that stand twice among them, refuses the whole', async () => {
    await catalog.refreshItems(sourceOf(MANY), null)
    const before = await items()
    const twice = MANY.slice(0, 4).map((item) => ({ ...item, rarity: 'Other' }))
    const report = await catalog.refreshItems(sourceOf([...MANY, ...twice], 'v2'), null)
    assert.match(report?.refused ?? '', /4 of 34 rows/)
    const unread = { fetch: async () => ({ etag: '', items: MANY, unreadable: 4, examples: [] }) }
    assert.match((await catalog.refreshItems(unread, null))?.refused ?? '', /4 of 34 rows/)
    assert.deepEqual(await items(), before)
  })

  test('prices that have all moved by more than half refuse it, where they are not read apart', async () => {
    await catalog.refreshItems(sourceOf(MANY), null)
    const dear = MANY.map((item) => ({ ...item, referencePriceMills: mills(16_000n) }))
    assert.match((await catalog.refreshItems(sourceOf(dear, 'v2'), null))?.refused ?? '', /median/)
    const near = MANY.map((item) => ({ ...item, referencePriceMills: mills(14_000n) }))
    assert.equal((await catalog.refreshItems(sourceOf(near, 'v2'), null))?.refused, null)
    assert.equal((await itemNamed('Item 3'))?.mills, 14_000n)
  })

  test('a list that names no prices takes none away', async () => {
    await catalog.refreshItems(sourceOf(MANY), null)
    await catalog.refreshItems(sourceOf(MANY.map(unpriced), 'v2'), null)
    const one = await itemNamed('Item 3')
    assert.deepEqual([one?.mills, one?.volume], [10_000n, 10])
  })

  test('a plan says what would change, and changes nothing', async () => {
    await catalog.refreshItems(sourceOf(MANY), null)
    const before = await items()
    const changed = MANY.slice(1).map((item, at) => (at === 0 ? { ...item, name: 'Other' } : item))
    const plan = await catalog.planItems(sourceOf([...changed, RUBY], 'v2'), APART)
    assert.deepEqual(
      [plan.fresh, plan.changed, plan.gone, plan.refused],
      [[`${RUBY.marketHashName} (Ruby)`], ['Item 1'], ['Item 0'], null],
    )
    assert.deepEqual(await items(), before)
    assert.deepEqual(await catalog.importItems(plan, APART), { written: 2, unlisted: 1 })
  })
})

describe('lists of prices', () => {
  const price = (name: string, ...figures: bigint[]): ListedPrice => ({
    ...{ marketHashName: name, phase: null, volume: null },
    pricesMills: figures.map(mills),
  })
  const listOf = (
    market: 'market_a' | 'market_b',
    prices: readonly ListedPrice[],
    change: { madeAt?: Date; unreadable?: number } = {},
  ): PriceList => ({
    market,
    fetch: async () => ({ madeAt: null, unreadable: 0, ...change, prices }),
  })
  const all = (mills: bigint) => MANY.map(({ marketHashName }) => price(marketHashName, mills))

  test('an item’s reference is the middle of what both say, and its sales are those that are named', async () => {
    await catalog.refreshItems(sourceOf([...MANY, RUBY].map(unpriced)), null, APART)
    const lists = [
      listOf('market_a', [
        { ...price('Item 1', 900n), volume: 12 },
        price('Item 2', 700n),
        // Of a name whose phases differ by a factor of ten.
        price(RUBY.marketHashName, 5n),
      ]),
      listOf('market_b', [price('Item 1', 20n, 1000n), { ...price('Item 3'), volume: 5 }]),
    ]
    const report = await catalog.refreshPrices(lists, signal)
    assert.deepEqual(
      [report.written, report.lists.map(({ refused }) => refused)],
      [2, [null, null]],
    )
    const one = await itemNamed('Item 1')
    assert.deepEqual([one?.mills, one?.volume], [900n, 12])
    assert.equal((await itemNamed('Item 2'))?.mills, 700n)
    // What one list alone says is shown, and no bot pays by it.
    assert.deepEqual([one?.quotable, (await itemNamed('Item 2'))?.quotable], [true, false])
    assert.equal((await itemNamed(RUBY.marketHashName))?.mills, 0n)
    // The import of items that follows leaves them as they are.
    const own = MANY.map((item) => ({ ...item, referencePriceMills: mills(5n), name: 'Renamed' }))
    await catalog.refreshItems(sourceOf([...own, unpriced(RUBY)], 'v2'), null, APART)
    assert.equal((await itemNamed('Item 1'))?.mills, 900n)
    assert.equal((await itemNamed('Item 3'))?.mills, 5n)
  })

  test('a list that is old, thin, broken or of another level counts for nothing', async () => {
    await catalog.refreshItems(sourceOf(MANY), null, APART)
    await catalog
      .openIngest('market_a')
      .applySnapshot(chunksOf(MANY.map((item) => sourceListing(item))))
    const before = await items()
    const old = { madeAt: new Date(clock.now().getTime() - 48 * 3_600_000 - 1) }
    for (const [bad, why] of [
      [listOf('market_a', all(9_000n), old), /made at/],
      [listOf('market_a', all(9_000n).slice(0, 14)), /lacks 16 of 30 names/],
      [listOf('market_a', all(9_000n), { unreadable: 4 }), /4 of 34 rows/],
      [listOf('market_a', all(16_000n)), /median/],
      [listOf('market_a', all(4_000n)), /median/],
      [listOf('market_a', []), /no price/],
    ] as const) {
      const report = await catalog.refreshPrices([bad], signal)
      assert.match(report.lists[0]?.refused ?? '', why)
      assert.deepEqual([report.written, await items()], [0, before])
      assert.match((await stateOf('prices_market_a'))?.refused ?? '', why)
    }
    // What the other one says counts all the same.
    const lists = [listOf('market_a', all(16_000n)), listOf('market_b', all(9_000n))]
    assert.equal((await catalog.refreshPrices(lists, signal)).written, 30)
    const good = clock.now()
    assert.deepEqual((await stateOf('prices_market_b'))?.goodAt, good)
  })

  test('another level counts when an operator says so, and what is wrong with a list besides does not', async () => {
    await catalog.refreshItems(sourceOf(MANY), null, APART)
    const lists = [listOf('market_a', all(16_000n)), listOf('market_b', all(16_000n))]
    const believed = await catalog.refreshPrices(lists, signal, { isAnyLevel: true })
    assert.deepEqual(
      believed.lists.map(({ refused }) => refused),
      [null, null],
    )
    assert.equal(believed.written, 30)
    const old = { madeAt: new Date(clock.now().getTime() - 48 * 3_600_000 - 1) }
    const refused = await catalog.refreshPrices([listOf('market_a', all(90_000n), old)], signal, {
      isAnyLevel: true,
    })
    assert.match(refused.lists[0]?.refused ?? '', /made at/)
  })

  test('one list alone makes no item dear, however many figures or rows it has of it', async () => {
    await catalog.refreshItems(sourceOf(MANY.map(unpriced)), null, APART)
    const dear = [price('Item 1', 1_000_000n, 2_000_000n), price('Item 1', 3_000_000n)]
    const said = [listOf('market_a', [price('Item 1', 900n)]), listOf('market_b', dear)]
    for (const lists of [said, said.toReversed()]) {
      await catalog.refreshPrices(lists, signal)
      const one = await itemNamed('Item 1')
      assert.deepEqual([one?.mills, one?.quotable], [900n, true])
    }
    await catalog.refreshPrices([listOf('market_b', dear)], signal)
    assert.equal((await itemNamed('Item 1'))?.quotable, false)
  })

  test('what two lists stood for is quoted for six hours without one of them, and then no longer', async () => {
    await catalog.refreshItems(sourceOf(MANY.map(unpriced)), null, APART)
    const [a, b] = [listOf('market_a', all(900n)), listOf('market_b', all(1000n))]
    await catalog.refreshPrices([a, b], signal)
    const quoted = { mills: 900n, quotable: true }
    const stateNow = async () => {
      const one = await itemNamed('Item 1')
      return { mills: one?.mills, quotable: one?.quotable }
    }
    assert.deepEqual(await stateNow(), quoted)
    const away = { market: 'market_a' as const, fetch: () => Promise.reject(new Error('502')) }
    clock.advance(6 * 3_600_000)
    await catalog.refreshPrices([away, b], signal)
    assert.deepEqual(await stateNow(), quoted)
    clock.advance(1)
    await catalog.refreshPrices([away, b], signal)
    assert.deepEqual(await stateNow(), { mills: 1000n, quotable: false })
    await catalog.refreshPrices([a, b], signal)
    assert.deepEqual(await stateNow(), quoted)
    // A list that is there and no longer names it ends it at once.
    await catalog.refreshPrices([a, listOf('market_b', all(1000n).slice(5))], signal)
    assert.deepEqual(await stateNow(), { mills: 900n, quotable: false })
  })

  test('the operator’s own file is quoted where no lists are read, and not where they are', async () => {
    await catalog.refreshItems(sourceOf(MANY), null, APART)
    assert.equal((await itemNamed('Item 1'))?.quotable, false)
    await catalog.refreshItems(sourceOf(MANY, 'v2'), null)
    assert.equal((await itemNamed('Item 1'))?.quotable, true)
    await catalog.refreshItems(sourceOf(MANY.map(unpriced), 'v3'), null)
    assert.equal((await itemNamed('Item 1'))?.quotable, true)
  })

  test('a list that cannot be had is no refusal, and ages', async () => {
    await catalog.refreshItems(sourceOf(MANY), null)
    await catalog.refreshPrices([listOf('market_a', all(9_000n))], signal)
    const goodAt = clock.now()
    clock.advance(3_600_000)
    const away = { market: 'market_a' as const, fetch: () => Promise.reject(new Error('502')) }
    const report = await catalog.refreshPrices([away], signal)
    assert.deepEqual([report.lists[0]?.failed, report.lists[0]?.refused], ['502', null])
    assert.deepEqual(await stateOf('prices_market_a'), {
      ...{ name: 'prices_market_a', goodAt, refused: null },
    })
  })
})

describe('a name that no item has', () => {
  const NEW = sourceItem({
    marketHashName: 'AK-47 | Brand New (Field-Tested)',
    exterior: 'Field-Tested',
    iconUrl: 'picture',
  })
  const listing = () => sourceListing(NEW, { rawId: '77' })
  const read = (...listings: ReturnType<typeof sourceListing>[]) =>
    catalog.openIngest('market_a').applySnapshot(chunksOf(listings))

  test('is for sale without a release after the second read, and whole with the next import under its id', async () => {
    await catalog.refreshItems(sourceOf(MANY), null)
    assert.equal((await read(listing())).stubs, 0)
    assert.equal((await read(listing())).stubs, 1)
    assert.equal((await read(listing())).inserted, 1)
    const found = await catalog.findListingByRawId('market_a', '77')
    assert.ok(found?.available)
    assert.equal(found.itemId, itemIdOf(NEW.marketHashName, null))
    assert.deepEqual(
      [found.description.name, found.description.iconUrl, found.itemType, found.referenceMills],
      [NEW.marketHashName.replace(' (Field-Tested)', ''), '', 'Rifle', null],
    )
    assert.equal(await catalog.countStubs(), 1)
    // Nothing is held against its price, whatever a list says of it.
    const named = { marketHashName: NEW.marketHashName, phase: null, volume: 500 }
    const prices = { ...named, pricesMills: [mills(1n)] }
    const list = { madeAt: null, prices: [prices], unreadable: 0 }
    await catalog.refreshPrices([{ market: 'market_b', fetch: async () => list }], signal)
    const reference = await catalog.referenceOf('market_a', '77')
    assert.deepEqual([reference?.referenceMills, reference?.volume], [0n, 0])

    // An import that does not name it leaves it; one that does makes it whole.
    await catalog.refreshItems(sourceOf([...MANY, REDLINE], 'v2'), null)
    assert.equal(await catalog.countStubs(), 1)
    await catalog.refreshItems(sourceOf([...MANY, REDLINE, NEW], 'v3'), null)
    assert.equal(await catalog.countStubs(), 0)
    const whole = await catalog.findListingByRawId('market_a', '77')
    assert.deepEqual(
      [whole?.id, whole?.itemId, whole?.description.iconUrl],
      [found.id, found.itemId, 'picture'],
    )
  })

  test('is counted once a read, and two markets are two reads', async () => {
    await catalog.refreshItems(sourceOf(MANY), null)
    const twice = [listing(), sourceListing(NEW, { rawId: '78' })]
    assert.equal((await read(...twice)).stubs, 0)
    const other = sourceListing(NEW, { market: 'market_b' })
    const report = await catalog.openIngest('market_b').applySnapshot(chunksOf([other]))
    assert.equal(report.stubs, 1)
  })

  test('of an item that the list no longer names comes back with the list alone', async () => {
    await catalog.refreshItems(sourceOf([...MANY, NEW]), null)
    await catalog.refreshItems(sourceOf(MANY, 'v2'), null)
    for (let round = 0; round < 3; round++) assert.equal((await read(listing())).stubs, 0)
    assert.equal((await itemNamed(NEW.marketHashName))?.listed, false)
    assert.deepEqual(await database.db.query(UNKNOWN_NAMES), [])
  })

  test('gives way to its phases once the list has them', async () => {
    await catalog.refreshItems(sourceOf(MANY), null)
    const plain = sourceListing({ ...RUBY, phase: null }, { rawId: '79', paintIndex: 415 })
    for (let round = 0; round < 3; round++) await read(plain)
    assert.equal((await catalog.findListingByRawId('market_a', '79'))?.description.phase, null)
    await catalog.refreshItems(sourceOf([...MANY, RUBY], 'v2'), null)
    assert.equal(await catalog.countStubs(), 0)
    await read(plain)
    assert.equal((await catalog.findListingByRawId('market_a', '79'))?.description.phase, 'Ruby')
  })
})
