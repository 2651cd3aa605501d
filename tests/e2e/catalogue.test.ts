// From public files alone to what is for sale: items in the public form, the prices of both markets, and a
// name that no list has. And what an operator reads of a list before it is taken over.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createItemSource } from '../../apps/server/src/adapters/catalog-source/index.ts'
import { createMarketA } from '../../apps/server/src/adapters/market-a/index.ts'
import { createMarketB } from '../../apps/server/src/adapters/market-b/index.ts'
import { wholePages } from '../../apps/server/src/adapters/shared/testing/whole-pages.ts'
import { createTakePermit } from '../../apps/server/src/infra/database/call-permits.ts'
import { createReserveSlot } from '../../apps/server/src/infra/database/call-slots.ts'
import { createHttpClient } from '../../apps/server/src/infra/http/http-client.ts'
import { systemClock as clock } from '../../apps/server/src/infra/process/clock.ts'
import { silentLog as log } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { listAudit } from '../../apps/server/src/modules/accounts/audit/index.ts'
import { createCatalog, itemIdOf } from '../../apps/server/src/modules/trading/catalog/index.ts'
import { type Sandbox, startSandbox } from '../support/sandbox.ts'
import { answerOps } from '../support/server.ts'

const APART = { pricesApart: true }
const { signal } = new AbortController()

let sandbox: Sandbox
let database: TestDatabase
const metrics = createMetrics()
const http = createHttpClient({ log, metrics })

before(async () => {
  ;[sandbox, database] = await Promise.all([startSandbox(), testDatabase()])
})
after(async () => {
  await http.close()
  await sandbox.child.end()
  await database.close()
})

function openMarkets() {
  const { db } = database
  const shared = { http, clock, rng: Math.random, log, metrics }
  const reserveSlot = createReserveSlot({ db, clock })
  const takePermit = createTakePermit({ db, clock })
  const a = { baseUrl: `${sandbox.url}/market-a`, apiKey: 'sandbox-market-a' }
  const b = { baseUrl: `${sandbox.url}/market-b`, apiKey: 'sandbox-market-b' }
  return [
    createMarketA({ ...shared, reserveSlot, takePermit, ...a }),
    createMarketB({ ...shared, reserveSlot, keepPages: wholePages, ...b }),
  ] as const
}

const hide = (...names: string[]) => sandbox.control.call('PUT', '/catalog', { hidden: names })

it('a new name is for sale without a release, and whole with the next list under the same id', async () => {
  const catalog = createCatalog({ db: database.db, clock })
  const [marketA, marketB] = openMarkets()
  const listings = []
  for await (const chunk of marketA.feed.snapshot(signal)) listings.push(...chunk)
  const listing = listings.find(({ phase, stickers }) => phase === null && stickers.length === 0)
  assert.ok(listing)
  await hide(listing.marketHashName)
  const source = createItemSource({ url: `${sandbox.url}/catalog/public/en/`, log })
  const first = await catalog.refreshItems(source, null, APART)
  assert.deepEqual([first?.refused, first?.dropped], [null, 0])
  const ingest = catalog.openIngest('market_a')
  const read = () => ingest.applySnapshot(marketA.feed.snapshot(signal))
  const before = await read()
  assert.ok(before.inserted > 0 && before.dropped['unknown-item'] > 0)
  assert.equal((await read()).stubs, 1)
  const after = await read()
  assert.equal(after.dropped['unknown-item'], 0)
  const stub = await catalog.findListingByRawId('market_a', listing.rawId)
  assert.equal(stub?.available, true)
  assert.equal(stub?.itemId, itemIdOf(listing.marketHashName, null))
  assert.equal(stub?.description.iconUrl, '')

  const prices = await catalog.refreshPrices([marketA.prices, marketB.prices], signal)
  assert.deepEqual(
    prices.lists.map(({ refused, failed }) => refused ?? failed),
    [null, null],
  )
  assert.ok(prices.written > 1000)
  assert.equal((await catalog.referenceOf('market_a', listing.rawId))?.referenceMills, 0n)

  await hide()
  const second = await catalog.refreshItems(source, first?.etag ?? null, APART)
  assert.equal(second?.written, 1)
  const whole = await catalog.findListingByRawId('market_a', listing.rawId)
  assert.deepEqual([whole?.id, whole?.itemId], [stub?.id, stub?.itemId])
  assert.notEqual(whole?.description.iconUrl, '')
  assert.equal(await catalog.countStubs(), 0)
  assert.equal(await catalog.refreshItems(source, second?.etag ?? null, APART), null)
  // A list of another level, by a factor of a thousand, is that of another unit.
  const level = (await marketB.prices.fetch(signal)).prices.map((price) => ({
    ...price,
    pricesMills: price.pricesMills.map((mills) => (mills * 1000n) as typeof mills),
  }))
  const strange = { madeAt: null, prices: level, unreadable: 0 }
  const lists = [{ market: 'market_b' as const, fetch: async () => strange }]
  assert.match((await catalog.refreshPrices(lists, signal)).lists[0]?.refused ?? '', /median/)
})

describe('catalog:import', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradepost-catalogue-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const row = (at: number) => ({
    ...{ marketHashName: `Case ${at}`, name: `Case ${at}`, itemType: 'Container', defIndex: at },
    ...{ category: 'Normal', rarity: 'Base Grade', rarityColor: '#B0C3D9' },
  })
  const rows = Array.from({ length: 40 }, (_, at) => row(at))
  const importing = async (
    list: readonly unknown[],
    ...[first, ...others]: readonly (string | { readonly env?: Record<string, string> })[]
  ) => {
    const env = typeof first === 'object' ? (first.env ?? {}) : {}
    const args = [first, ...others].filter((arg) => typeof arg === 'string')
    const file = join(folder, 'items.json')
    writeFileSync(file, JSON.stringify(list))
    const SANDBOX_PORT = String(sandbox.port)
    const settings = { DATABASE_URL: own.url, DATA_DIR: folder, SANDBOX_PORT, ...env }
    return answerOps(settings, ['catalog:import', '--from', file, ...args])
  }
  let own: TestDatabase
  before(async () => {
    own = await testDatabase({ poolSize: 2 })
  })
  after(() => own.close())

  it('shows what a list would bring, changes nothing on a dry run, and takes it over', async () => {
    const dry = await importing(rows, '--dry-run')
    assert.equal(dry.code, 0, dry.stderr)
    assert.match(dry.stdout, /^new: 40\n {2}Case 0\n/m)
    assert.match(dry.stdout, / {2}and 20 more\nchanged: 0\ngone: 0\nunreadable: 0\n/)
    assert.match(dry.stdout, /dry run/)
    const done = await importing(rows)
    assert.match(done.stdout, /^40 items were written, 0 hidden\.$/m)
    // A dry run is no act.
    const acts = await listAudit(own.db, { act: 'catalog.import', limit: 10 })
    assert.deepEqual(
      acts.map(({ details }) => details),
      [{ from: join(folder, 'items.json'), items: 40, new: 40, changed: 0, gone: 0 }],
    )
    const again = await importing([{ ...row(0), name: 'Other' }, ...rows.slice(1, 39)])
    assert.match(again.stdout, /new: 0\nchanged: 1\n {2}Case 0\ngone: 1\n {2}Case 39\n/)
  })

  it('takes another level of prices over when an operator says so, audited, and nothing else', async () => {
    const ofPrice = (priceMills: number) =>
      rows.map((one) => ({ ...one, referencePriceMills: priceMills, volume: 5 }))
    const env = { CATALOG_PRICES: 'false' }
    assert.equal((await importing(ofPrice(1000), { env })).code, 0)
    const dear = await importing(ofPrice(5000), { env })
    assert.match(dear.stderr, /Refused: the median of its prices has moved by more than half\./)
    const half = await importing(ofPrice(5000).slice(0, 15), { env }, '--any-price-level')
    assert.match(half.stderr, /Refused: it lacks 25 of 40 items\./)
    const taken = await importing(ofPrice(5000), { env }, '--any-price-level')
    assert.match(taken.stdout, /^40 items were written, 0 hidden\.$/m, taken.stderr)
    const [act] = await listAudit(own.db, { act: 'catalog.import', limit: 1 })
    assert.equal(act?.details.isAnyLevel, true)
    // Where prices come from the markets, their lists are taken over with the items.
    const lists = await importing(rows, {}, '--any-price-level')
    assert.match(lists.stdout, /^prices_market_a: \d+ prices\nprices_market_b: \d+ prices$/m)
  })

  it('is refused with exit code 1 and the reason, and changes nothing', async () => {
    await importing(rows)
    const half = await importing(rows.slice(0, 15))
    assert.deepEqual([half.code, half.stdout], [1, ''])
    assert.match(
      half.stderr,
      /gone: 25\n[\s\S]*Refused: it lacks 25 of 40 items\. Nothing was changed\./,
    )
    const broken = await importing([...rows, ...Array.from({ length: 5 }, () => ({ name: 'X' }))])
    assert.equal(broken.code, 1)
    assert.match(broken.stderr, /unreadable: 5\n {2}X\n[\s\S]*5 of 45 rows are unreadable/)
    assert.match((await importing(rows, '--dry-run')).stdout, /new: 0\nchanged: 0\ngone: 0/)
    const { code, stderr } = await answerOps({ DATABASE_URL: own.url, DATA_DIR: folder }, [
      'catalog:import',
      '--from',
      join(folder, 'none.json'),
    ])
    assert.deepEqual([code, /no item list: ENOENT/.test(stderr)], [1, true])
  })
})
