import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { merchantRoutes } from '@tradepost/contract'
import type { MarketId } from '#catalog'
import { sql } from '#infra/database/db'
import { mills } from '#kernel/money'
import {
  DRAGON_LORE,
  idOf,
  REDLINE,
  RUBY,
  sourceItem,
  sourceListing,
  sourceOf,
} from '../../../../modules/trading/catalog/testing/fixtures.ts'
import {
  as,
  CASE,
  CHARM,
  FADE,
  ITEMS,
  isOfShape,
  openTestMarket,
  others,
  redlineOfB,
  redlines,
  STICKER,
  type TestMarket,
} from './testing/test-market.ts'

let market: TestMarket
let database: TestMarket['database']
let catalog: TestMarket['catalog']
let view: TestMarket['view']
let server: TestMarket['server']
let clock: TestMarket['clock']
let get: TestMarket['get']
let data: TestMarket['data']
let refusal: TestMarket['refusal']
before(async () => {
  market = await openTestMarket()
  ;({ database, catalog, view, server, clock, get, data, refusal } = market)
})
after(() => market.close())

describe('GET /market/search', () => {
  test('an item has its words, its figures and the fees of the caller', async () => {
    const found = await data('/market/search?q=redline')
    isOfShape(merchantRoutes.searchMarket, found)
    assert.deepEqual(
      { ...found, items: found.items.map((item: { id: string }) => item.id) },
      { items: [idOf(REDLINE)], total: 1, page: 1, limit: 25, totalPages: 1 },
    )
    // 9.999 asked is 10.00 of sourcing and 0.30 of fee; 12.000 is 12.36.
    assert.deepEqual(found.items[0].price, { standard: 10.3, instant: 12.36 })
    assert.equal(found.items[0].listingsCount, 4)
    assert.equal(found.items[0].platformPrice, 10)
    assert.equal(found.items[0].wear, 'Field-Tested')
  })

  test('a sub-user sees its own fees, and a euro wallet euros at the rate of now', async () => {
    const [alice] = (await data('/market/search?q=redline', as('alice'))).items
    assert.deepEqual(alice.price, { standard: 10.5, instant: 12.6 })
    const [jean] = (await data('/market/search?q=redline', as('jean'))).items
    // 9.999 / 1.25 = 7.9992, up to 8.00; fees 0.24 and 0.16.
    assert.deepEqual(jean.price, { standard: 8.4, instant: 10.08 })
    assert.equal(jean.platformPrice, 8)
  })

  test('an item without listings has no price, and one without a reference no reference', async () => {
    const [item] = (await data('/market/search?q=recoil')).items
    assert.ok(!('price' in item) && !('platformPrice' in item) && !('weapon' in item))
    assert.equal(item.listingsCount, 0)
  })

  const filters: [string, object[]][] = [
    ['itemType=Knife', [RUBY, FADE]],
    ['weapon=AWP,AK-47&sort=nameAsc', [REDLINE, DRAGON_LORE]],
    ['exterior=Field-Tested', [REDLINE]],
    ['rarity=Covert&sort=priceAsc', [RUBY, FADE, DRAGON_LORE]],
    ['category=Souvenir', []],
    ['collection=The%20Cobblestone%20Collection', [DRAGON_LORE]],
    ['phase=Ruby', [RUBY]],
    ['phase=Emerald', []],
    ['delivery=instant&sort=priceDesc', [DRAGON_LORE, REDLINE]],
    ['delivery=standard&sort=priceAsc', [REDLINE, RUBY, FADE]],
    ['inStock=true&itemType=Container', []],
    ['inStock=false&itemType=Container', [CASE]],
    ['minPrice=10.30&maxPrice=10.30', [REDLINE]],
    ['minPrice=10.31&maxPrice=926.99', []],
    ['minPrice=927&maxPrice=1545', [RUBY, FADE]],
    ['delivery=instant&maxPrice=12.36', [REDLINE]],
    ['delivery=instant&maxPrice=12.35', []],
    ['sort=nameDesc', [FADE, RUBY, CASE, DRAGON_LORE, REDLINE]],
    ['', [REDLINE, RUBY, DRAGON_LORE, FADE, CASE]],
  ]
  for (const [query, expected] of filters) {
    test(`finds with "${query}" what fits`, async () => {
      const found = await data(`/market/search?${query}`)
      const names = found.items.map((item: { marketHashName: string }) => item.marketHashName)
      assert.deepEqual(
        names,
        expected.map((item) => (item as { marketHashName: string }).marketHashName),
      )
      assert.equal(found.total, expected.length)
    })
  }

  test('bounds are of the price that the caller sees', async () => {
    const query = '/market/search?q=redline&minPrice=10.00&maxPrice=10.00'
    assert.equal((await data(query)).total, 0)
    assert.equal((await data(query, as('free'))).total, 1)
  })

  for (const query of [
    'rarity=Mythical',
    'weapon=AK-47,Slingshot',
    'exterior=Shiny',
    'phase=Phase%209',
  ]) {
    test(`422: an unknown value is refused in a sentence: ${query}`, async () => {
      const answer = await refusal(`/market/search?${query}`, 422, 'VALIDATION_FAILED')
      assert.match(answer.json.error?.message ?? '', /^\w+ must .+\.$/)
      const [problem] = answer.json.error?.meta?.errors ?? []
      assert.equal(problem?.pointer, `/${query.split('=')[0]}`)
      assert.ok(!answer.text.includes('Slingshot'))
    })
  }

  test('pages', async () => {
    const page = await data('/market/search?sort=nameAsc&limit=2&page=2')
    assert.deepEqual([page.items.length, page.total, page.page, page.totalPages], [2, 5, 2, 3])
    const behind = await data('/market/search?limit=100&page=2000000000')
    assert.deepEqual([behind.items, behind.total], [[], 5])
  })
})

test('suggestions share the search’s words', async () => {
  const found = await data('/market/search/suggestions?q=karam')
  isOfShape(merchantRoutes.suggestItems, found)
  assert.deepEqual(
    found.map((item: { id: string }) => item.id),
    [idOf(RUBY), idOf(FADE)],
  )
  assert.deepEqual(await data('/market/search/suggestions?q=%E2%84%A2'), [])
  await refusal('/market/search/suggestions?q=', 422, 'VALIDATION_FAILED')
  await refusal('/market/search/suggestions', 422, 'VALIDATION_FAILED')
})

describe('GET /market/items/{itemId}', () => {
  test('is the item as search shows it', async () => {
    const item = await data(`/market/items/${idOf(RUBY)}`, as('alice'))
    isOfShape(merchantRoutes.getItem, item)
    assert.deepEqual(item, (await data('/market/search?q=ruby', as('alice'))).items[0])
  })

  test('404: an unknown item is not found, a wrong id not even looked for', async () => {
    for (const path of ['', '/listings', '/history']) {
      await refusal(`/market/items/${'0'.repeat(16)}${path}`, 404, 'ITEM_NOT_FOUND')
      await refusal(`/market/items/xyz${path}`, 422, 'VALIDATION_FAILED')
    }
  })
})

describe('POST /market/items/lookup', () => {
  const lookUp = (items: unknown) =>
    server.call('POST', '/market/items/lookup', { body: { items } })

  test('answers each as search shows it, in order, and null for what there is not', async () => {
    const { status, json } = await lookUp([
      { id: idOf(RUBY) },
      { marketHashName: 'no such item' },
      { marketHashName: REDLINE.marketHashName },
      { id: '0'.repeat(16) },
      { marketHashName: RUBY.marketHashName, phase: 'Ruby' },
      { marketHashName: RUBY.marketHashName },
      { marketHashName: REDLINE.marketHashName, phase: 'Ruby' },
      { marketHashName: REDLINE.marketHashName.toLowerCase() },
      { id: idOf(RUBY) },
    ])
    assert.equal(status, 200)
    isOfShape(merchantRoutes.lookUpItems, json.data)
    const ruby = await data(`/market/items/${idOf(RUBY)}`)
    const redline = await data(`/market/items/${idOf(REDLINE)}`)
    const { items } = json.data as { items: unknown[] }
    assert.deepEqual(items, [ruby, null, redline, null, ruby, null, null, null, ruby])
  })

  test('422: neither or both of id and name, a phase beside an id, an unknown field, none or too many', async () => {
    const one = { id: idOf(RUBY) }
    for (const items of [
      ...[[{}], [{ ...one, marketHashName: 'x' }], [one, { ...one, phase: 'Ruby' }]],
      ...[[{ phase: 'Ruby' }], [{ marketHashName: 'x', phase: 'none' }], [{ id: 'xyz' }]],
      ...[[{ ...one, name: 'x' }], [], Array(501).fill(one)],
      ...[[{ marketHashName: 'x'.repeat(65_536) }], [null], 'x'],
    ]) {
      const { status, json } = await lookUp(items)
      assert.deepEqual(
        [status, json.error?.key],
        [422, 'VALIDATION_FAILED'],
        JSON.stringify(items).slice(0, 80),
      )
    }
    assert.equal((await lookUp(Array(500).fill(one))).status, 200)
  })
})

describe('GET /market/items/{itemId}/listings', () => {
  const path = `/market/items/${idOf(REDLINE)}/listings`
  const prices = async (query: string, headers?: Record<string, string>): Promise<number[]> =>
    (await data(`${path}?${query}`, headers)).items.map((item: { price: number }) => item.price)

  test('all markets together, the cheapest first, with the caller’s fees', async () => {
    const found = await data(path)
    isOfShape(merchantRoutes.listItemListings, found)
    assert.deepEqual(await prices(''), [10.3, 10.3, 10.83, 12.36])
    assert.equal(found.total, 4)
  })

  const filters: [string, number[]][] = [
    ['sort=priceDesc', [12.36, 10.83, 10.3, 10.3]],
    ['sort=wearAsc', [12.36, 10.3, 10.3, 10.83]],
    ['sort=wearDesc', [10.3, 10.3, 12.36, 10.83]],
    ['minPrice=10.31', [10.83, 12.36]],
    ['maxPrice=10.83', [10.3, 10.3, 10.83]],
    ['minPrice=10.83&maxPrice=10.83', [10.83]],
    ['minWear=0.2', [10.3, 10.3]],
    ['maxWear=0.16', [12.36]],
    ['paintSeed=5', [10.83]],
    ['delivery=instant', [12.36]],
    ['delivery=standard', [10.3, 10.3, 10.83]],
    ['hasStickers=true', [10.3]],
    ['hasStickers=false', [10.3, 10.83, 12.36]],
    ['phase=Ruby', []],
    ['limit=1&page=2', [10.3]],
    ['limit=3&page=2', [12.36]],
    ['page=3', []],
  ]
  for (const [query, expected] of filters) {
    test(`with "${query}"`, async () => assert.deepEqual(await prices(query), expected))
  }

  test('bounds are of the price that the caller sees, in its currency', async () => {
    assert.deepEqual(await prices('', as('jean')), [8.4, 8.4, 8.83, 10.08])
    assert.deepEqual(await prices('minPrice=8.41&maxPrice=10.07', as('jean')), [8.83])
  })

  test('a listing is found by the wear that it shows, whatever its decimals', async () => {
    const { items } = await data(`/market/items/${idOf(REDLINE)}/listings`)
    const worn = items.filter(({ wear }: { wear: string | null }) => wear !== null)
    assert.equal(worn.length, 3)
    for (const { id, wear } of worn) {
      const bounds = `minWear=${wear}&maxWear=${wear}`
      const found = await data(`/market/items/${idOf(REDLINE)}/listings?${bounds}`)
      assert.deepEqual(
        found.items.map((item: { id: string }) => item.id),
        [id],
        wear,
      )
    }
  })

  test('a phase that the item has keeps its listings', async () => {
    const found = await data(`/market/items/${idOf(RUBY)}/listings?phase=Ruby,Sapphire`)
    assert.equal(found.total, 1)
  })
})

test('an item with a phase says it wherever it is shown, and no other item has one', async () => {
  const { items: found } = await data('/market/search?q=karambit ruby')
  const { items: prices } = await data('/market/prices?limit=-1')
  const { items: listings } = await data(`/market/items/${idOf(RUBY)}/listings`)
  const one = await data(`/market/listings/${listings[0].id}`)
  const { items: live } = await data('/market')
  const item = await data(`/market/items/${idOf(RUBY)}`)
  const name = RUBY.marketHashName
  for (const rows of [found, prices, listings, live, [one], [item]]) {
    for (const row of rows)
      assert.equal(row.phase, row.marketHashName === name ? 'Ruby' : undefined)
    assert.ok(rows.some((row: { marketHashName: string }) => row.marketHashName === name))
  }
})

describe('GET /market/listings/{listingId}', () => {
  const idOfListing = async (source: { market: MarketId; rawId: string }) =>
    (await catalog.findListingByRawId(source.market, source.rawId))!.id

  test('shows everything that is known of a copy', async () => {
    const fade = await data(`/market/listings/${await idOfListing(others[1]!)}`)
    isOfShape(merchantRoutes.getListing, fade)
    assert.ok(fade.fade.percentage >= 80)
    const ruby = await data(`/market/listings/${await idOfListing(others[0]!)}`)
    assert.deepEqual(ruby.doppler, { status: true, name: 'Ruby', paintIndex: 415 })
    const stickered = await data(`/market/listings/${await idOfListing(redlines[0]!)}`)
    isOfShape(merchantRoutes.getListing, stickered)
    assert.deepEqual(stickered.stickers, [STICKER])
    const charmed = await data(`/market/listings/${await idOfListing(redlines[1]!)}`)
    isOfShape(merchantRoutes.getListing, charmed)
    assert.deepEqual([charmed.charm, charmed.wear, charmed.previewToken], [CHARM, null, '00AB12'])
  })

  test('404: what is gone, taken or never was is not found', async () => {
    await refusal('/market/listings/999999999999999999', 404, 'LISTING_NOT_FOUND')
    await refusal('/market/listings/9999999999999999999', 422, 'VALIDATION_FAILED')
    const source = sourceListing(CASE)
    const ingest = catalog.openIngest('market_a')
    await ingest.applyChanges([{ kind: 'upsert', listing: source }])
    const id = await idOfListing(source)
    await ingest.applyChanges([{ kind: 'remove', rawId: source.rawId }])
    // What the next tests read is as it was before.
    await view.refresh()
    await refusal(`/market/listings/${id}`, 404, 'LISTING_NOT_FOUND')
  })
})

describe('GET /market', () => {
  test('has the cheapest listing of each of the most traded items, the newest change first', async () => {
    const found = await data('/market')
    isOfShape(merchantRoutes.listLiveMarket, found)
    const names = found.items.map((item: { marketHashName: string }) => item.marketHashName)
    assert.equal(names[0], REDLINE.marketHashName, 'read last')
    assert.deepEqual(found.items[0].price, 10.3)
    assert.equal(found.total, 4)
    assert.equal(new Set(names).size, 4)
    assert.deepEqual((await data('/market?limit=3&page=2')).items.length, 1)
  })
})

describe('GET /market/items/{itemId}/history', () => {
  test('has the days of the item in the caller’s prices', async () => {
    assert.deepEqual(await data(`/market/items/${idOf(REDLINE)}/history`), [])
    await catalog.observeDay()
    const days = await data(`/market/items/${idOf(REDLINE)}/history`)
    isOfShape(merchantRoutes.getItemHistory, days)
    const date = clock.now().toISOString().slice(0, 10)
    assert.deepEqual(days, [{ date, volume: 0, lowest: 10.3, median: 10.3, highest: 10.3 }])
  })
})

describe('GET /market/prices', () => {
  test('pages through all items by name', async () => {
    const page = await data('/market/prices?limit=2')
    isOfShape(merchantRoutes.listPrices, page)
    assert.deepEqual(page.items[0], {
      id: idOf(REDLINE),
      marketHashName: REDLINE.marketHashName,
      price: { standard: 10.3, instant: 12.36 },
      listingsCount: 4,
      platformPrice: 10,
      volume7d: 0,
      lastSale: null,
    })
    assert.deepEqual([page.total, page.totalPages], [5, 3])
    assert.equal(page.full, undefined)
    await refusal('/market/prices?limit=0', 422, 'VALIDATION_FAILED')
    await refusal('/market/prices?limit=-2', 422, 'VALIDATION_FAILED')
  })

  test('everything at once is the same list, plain and compressed', async () => {
    const paged = await data('/market/prices?limit=100')
    const plain = await get('/market/prices?limit=-1', { 'accept-encoding': 'identity' })
    assert.equal(plain.headers.get('content-encoding'), null)
    const whole = plain.json.data as { items: unknown[]; version: string }
    isOfShape(merchantRoutes.listPrices, whole)
    // It may have been written some seconds ago.
    assert.deepEqual(whole, { ...paged, limit: -1, full: true, version: whole.version })
    assert.equal(plain.json.requestId, plain.headers.get('x-request-id'))
    const packed = await get('/market/prices?limit=-1', { 'accept-encoding': 'gzip' })
    assert.equal(packed.headers.get('content-encoding'), 'gzip')
    assert.deepEqual(packed.json.data, whole)
    assert.notEqual(packed.json.requestId, plain.json.requestId)
    assert.deepEqual((await data('/market/prices?limit=-1&page=2')).items, [])
  })

  test('what a caller has already is not sent again until a price moves', async () => {
    const first = await get('/market/prices?limit=-1')
    const etag = first.headers.get('etag') ?? ''
    assert.match(etag, /^W\/"/)
    const same = await get('/market/prices?limit=-1', { 'if-none-match': `"x", ${etag}` })
    assert.deepEqual([same.status, same.text], [304, ''])
    assert.equal((await get('/market/prices?limit=-1', { 'if-none-match': '"x"' })).status, 200)
    const alice = await get('/market/prices?limit=-1', { 'if-none-match': etag, ...as('alice') })
    assert.equal(alice.status, 200)

    const { rawId } = others[0]!
    const event = { kind: 'price' as const, rawId, priceMills: mills(800_000n) }
    await catalog.openIngest('market_a').applyChanges([event])
    await view.refresh()
    clock.advance(60_000)
    const moved = await get('/market/prices?limit=-1', { 'if-none-match': etag })
    assert.equal(moved.status, 200)
    assert.notEqual(moved.headers.get('etag'), etag)
  })

  describe('since a version', () => {
    const since = (version: string) => data(`/market/prices?limit=-1&since=${version}`)

    test('only what changed is sent, with what is gone; the version is one for all callers', async () => {
      const { version } = await data('/market/prices')
      assert.equal((await data('/market/prices?limit=-1&page=2', as('jean'))).version, version)
      const nothing = await since(version)
      isOfShape(merchantRoutes.listPrices, nothing)
      const none = { items: [], total: 0, page: 1, limit: -1, totalPages: 0 }
      assert.deepEqual(nothing, { ...none, version, removed: [] })

      await database.db.query(sql('test_sale', 'select catalog.record_sale($1, 1000, $2)'), [
        idOf(CASE),
        clock.now(),
      ])
      await catalog.countSales()
      await catalog.refreshItems(sourceOf([REDLINE, RUBY, FADE, CASE], 'v2'), null)
      await view.refresh()
      const changed = await since(version)
      isOfShape(merchantRoutes.listPrices, changed)
      assert.deepEqual(changed.removed, [idOf(DRAGON_LORE)])
      assert.equal(changed.full, undefined)
      const [item, ...others] = changed.items
      assert.deepEqual(others, [])
      assert.equal(item.id, idOf(CASE))
      assert.equal(item.volume7d, 1)
      assert.deepEqual(item.lastSale, { price: 10.3, at: clock.now().toISOString() })
      assert.deepEqual((await since(changed.version)).items, [])

      await catalog.refreshItems(sourceOf(ITEMS, 'v3'), null)
      await view.refresh()
      const back = await since(changed.version)
      assert.deepEqual(
        [back.items.map(({ id }: { id: string }) => id), back.removed],
        [[idOf(DRAGON_LORE)], []],
      )
    })

    test('a market that goes takes the prices of its items along', async () => {
      const { version } = await data('/market/prices')
      await catalog.setMarketEnabled('market_b', false)
      await view.refresh()
      const { items, version: without } = await since(version)
      assert.deepEqual(
        items.map((item: { id: string; listingsCount: number }) => [item.id, item.listingsCount]),
        [[idOf(REDLINE), 3]],
      )
      await catalog.setMarketEnabled('market_b', true)
      await view.refresh()
      assert.equal((await since(without)).items[0].listingsCount, 4)
    })

    test('an unknown version is answered with the whole list', async () => {
      const whole = await data('/market/prices?limit=-1')
      for (const unknown of [
        '0',
        'yesterday',
        'x'.repeat(4000),
        whole.version.replace('.', '.9'),
      ]) {
        assert.deepEqual(await since(unknown), whole)
      }
    })

    for (const query of [
      'since=x',
      'limit=25&since=x',
      'limit=-1&since=',
      'limit=-1&since=x&since=x',
      'limit=-1&page=2&since=x',
    ]) {
      test(`422: ${query}`, async () => {
        await refusal(`/market/prices?${query}`, 422, 'VALIDATION_FAILED')
      })
    }
  })

  test('while prices move, the old answer is sent for some seconds and the new one prepared', async () => {
    const price = async (): Promise<number> => {
      const { items } = await data('/market/prices?limit=-1')
      return items.find((item: { id: string }) => item.id === idOf(RUBY)).price.standard
    }
    const before = await price()
    const { rawId } = others[0]!
    const event = { kind: 'price' as const, rawId, priceMills: mills(700_000n) }
    await catalog.openIngest('market_a').applyChanges([event])
    await view.refresh()
    assert.equal(await price(), before)
    clock.advance(5000)
    assert.equal(await price(), before, 'sent while the new one is written')
    clock.advance(10_000)
    assert.equal(await price(), 721)
  })

  test('a compressed answer is one gzip member that other readers read', async () => {
    const http = await import('node:http')
    const raw = await new Promise<Buffer>((resolve, reject) => {
      const headers = { 'api-key': 'tp_test_merchant', 'accept-encoding': 'br, gzip;q=0.5' }
      http
        .get(`${server.url}/market/prices?limit=-1`, { headers }, (response) => {
          const parts: Buffer[] = []
          response.on('data', (part) => parts.push(part))
          response.on('end', () => resolve(Buffer.concat(parts)))
        })
        .on('error', reject)
    })
    assert.equal(JSON.parse(gunzipSync(raw).toString()).data.total, 5)
    assert.equal(raw.indexOf(Buffer.from([0x1f, 0x8b, 8]), 1), -1)
  })

  test('more than 2,000 changes since a version are answered with the whole list, fewer are compressed', async () => {
    const { version } = await data('/market/prices')
    const many = Array.from({ length: 2001 }, (_, i) => sourceItem({ marketHashName: `Item ${i}` }))
    await catalog.refreshItems(sourceOf([...ITEMS, ...many], 'v4'), null)
    await view.refresh()
    clock.advance(10_000)
    const whole = await data(`/market/prices?limit=-1&since=${version}`)
    isOfShape(merchantRoutes.listPrices, whole)
    assert.deepEqual([whole.full, whole.total, whole.removed], [true, 2006, undefined])

    const crates = Array.from({ length: 60 }, (_, i) =>
      sourceItem({ marketHashName: `Crate ${i}` }),
    )
    await catalog.refreshItems(sourceOf([...ITEMS, ...many, ...crates], 'v5'), null)
    await view.refresh()
    const path = `/market/prices?limit=-1&since=${whole.version}`
    const plain = await get(path, { 'accept-encoding': 'identity' })
    const packed = await get(path, { 'accept-encoding': 'gzip' })
    assert.deepEqual(
      [plain, packed].map(({ headers }) => headers.get('content-encoding')),
      [null, 'gzip'],
    )
    assert.equal((plain.json.data as { total: number }).total, 60)
    assert.deepEqual(packed.json.data, plain.json.data)
  })
})

describe('a market that is away', () => {
  test('503: takes its listings, its floors and its counts with it, and brings them back', async () => {
    const gone = await catalog.findListingByRawId('market_b', redlineOfB.rawId)
    await catalog.markMarket('market_b', { online: false, detail: '', balanceMills: null })
    await view.refresh()
    clock.advance(2000)
    const [item] = (await data('/market/search?q=redline', as('free'))).items
    assert.deepEqual([item.price.standard, item.listingsCount], [10, 3])
    assert.equal((await data(`/market/items/${idOf(REDLINE)}/listings`)).total, 3)
    await refusal(`/market/listings/${gone!.id}`, 503, 'MARKET_UNAVAILABLE')
    await catalog.markMarket('market_b', { online: true, detail: '', balanceMills: null })
    await view.refresh()
    clock.advance(2000)
    const [back] = (await data('/market/search?q=redline', as('free'))).items
    assert.deepEqual([back.price.standard, back.listingsCount], [10, 4])
    assert.equal((await data(`/market/items/${idOf(REDLINE)}/listings`)).total, 4)
  })

  test('switched off by the operator, it is as if it were away', async () => {
    await catalog.setMarketEnabled('market_a', false)
    await view.refresh()
    clock.advance(2000)
    assert.equal((await data('/market/search?inStock=true')).total, 1)
    assert.equal((await data('/market')).total, 1)
    await catalog.setMarketEnabled('market_a', true)
    await view.refresh()
  })
})
