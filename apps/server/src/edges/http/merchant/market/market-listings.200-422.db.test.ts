import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { merchantRoutes } from '@tradepost/contract'
import { sql } from '#infra/database/db'
import { idOf, REDLINE, RUBY } from '../../../../modules/trading/catalog/testing/fixtures.ts'
import {
  as,
  FADE,
  isOfShape,
  openTestMarket,
  redlines,
  type TestMarket,
} from './testing/test-market.ts'

let market: TestMarket
let database: TestMarket['database']
let catalog: TestMarket['catalog']
let view: TestMarket['view']
let listings: TestMarket['listings']
let data: TestMarket['data']
let refusal: TestMarket['refusal']
before(async () => {
  market = await openTestMarket()
  ;({ database, catalog, view, listings, data, refusal } = market)
})
after(() => market.close())

describe('GET /market/listings', () => {
  const pricesOf = async (query: string, headers?: Record<string, string>): Promise<number[]> => {
    await listings.refresh()
    const found = await data(`/market/listings?${query}`, headers)
    return found.items.map((item: { price: number }) => item.price)
  }
  const ALL = [10.3, 10.3, 10.83, 12.36, 927, 1545, 7210]

  test('a row is the listing with its item, in the caller’s prices', async () => {
    const found = await data('/market/listings', as('alice'))
    isOfShape(merchantRoutes.listMarketListings, found)
    assert.equal(found.nextCursor, null)
    const [first] = found.items
    const { itemId, ...listing } = first
    assert.equal(itemId, idOf(REDLINE))
    assert.deepEqual(listing, await data(`/market/listings/${first.id}`, as('alice')))
  })

  const filters: [string, number[]][] = [
    ['', ALL],
    ['sort=priceDesc', ALL.toReversed()],
    ['sort=wearAsc&q=redline', [12.36, 10.3, 10.3, 10.83]],
    ['sort=wearDesc&q=redline', [10.3, 10.3, 12.36, 10.83]],
    ['sort=newest', [10.3, 7210, 1545, 927, 12.36, 10.83, 10.3]],
    [`itemId=${idOf(RUBY)},${idOf(FADE)},${'0'.repeat(16)}`, [927, 1545]],
    [`itemId=${'0'.repeat(16)}`, []],
    ['q=karambit', [927, 1545]],
    ['q=karambit&phase=Ruby,Emerald', [927]],
    ['phase=Emerald', []],
    ['itemType=Knife&maxPrice=1000', [927]],
    ['weapon=AWP&exterior=Factory%20New', [7210]],
    ['weapon=AWP&exterior=Field-Tested', []],
    ['rarity=Covert&collection=The%20Cobblestone%20Collection', [7210]],
    ['category=Souvenir', []],
    ['minPrice=10.31&maxPrice=12.36', [10.83, 12.36]],
    ['minPrice=10.30&maxPrice=10.30', [10.3, 10.3]],
    ['minWear=0.2&maxWear=0.21', [10.3]],
    ['minWear=0.30000001192092896&maxWear=0.30000001192092896', [10.3]],
    ['maxWear=0.16', [12.36]],
    ['paintSeed=5,412', [10.83, 1545]],
    ['paintSeed=999', []],
    ['stickers=Sticker%20%7C%20Howl', [10.3]],
    ['stickers=Sticker%20%7C%20Howl,Sticker%20%7C%20Crown', []],
    ['stickers=Sticker%20%7C%20Howl&stickers=Sticker%20%7C%20Howl', [10.3]],
    ['market=market_b', [10.3]],
    ['market=market_a,market_b&delivery=instant', [12.36, 7210]],
    ['delivery=standard&inStock=true&maxPrice=11', [10.3, 10.3, 10.83]],
    ['limit=1&sort=newest', [10.3]],
  ]
  for (const [query, expected] of filters) {
    test(`with "${query.slice(0, 80)}"`, async () => {
      assert.deepEqual(await pricesOf(query), expected)
    })
  }

  test('bounds are of the price that the caller sees, in its currency', async () => {
    assert.deepEqual(await pricesOf('maxPrice=10.07', as('jean')), [8.4, 8.4, 8.83])
  })

  test('cursors lead through all of it in any order, and stay good when what they name is gone', async () => {
    for (const sort of ['priceAsc', 'priceDesc', 'wearAsc', 'wearDesc', 'newest']) {
      const whole = (await data(`/market/listings?sort=${sort}`)).items
      const paged: unknown[] = []
      for (let cursor = ''; ; ) {
        const { items, nextCursor } = await data(`/market/listings?sort=${sort}&limit=2${cursor}`)
        paged.push(...items)
        if (nextCursor === null) break
        cursor = `&cursor=${nextCursor}`
      }
      assert.deepEqual(paged, whole)
    }
    const { nextCursor } = await data('/market/listings?limit=3')
    const ingest = catalog.openIngest('market_a')
    await ingest.applyChanges([{ kind: 'remove', rawId: redlines[1]!.rawId }])
    await listings.refresh()
    assert.deepEqual(await pricesOf(`limit=2&cursor=${nextCursor}`), [12.36, 927])
    await ingest.applyChanges([{ kind: 'upsert', listing: redlines[1]! }])
    await view.refresh()
    assert.deepEqual(await pricesOf(''), ALL)
  })

  test('what was bought a moment ago is not shown, whatever is known of it in memory', async () => {
    const cheapest = (await data('/market/listings?limit=1')).items[0]
    await database.db.query(sql('test_take', 'select catalog.take_listing($1, 99999)'), [
      BigInt(cheapest.id),
    ])
    const [next] = (await data('/market/listings?limit=1')).items
    assert.notEqual(next.id, cheapest.id)
    await database.db.query(sql('test_release', 'select catalog.release_listing($1)'), [
      BigInt(cheapest.id),
    ])
    await catalog.countTaken()
    await view.refresh()
    assert.deepEqual(await pricesOf(''), ALL)
  })

  test('a market that is away is left out', async () => {
    await catalog.setMarketEnabled('market_a', false)
    await view.refresh()
    assert.deepEqual(await pricesOf(''), [10.3])
    await catalog.setMarketEnabled('market_a', true)
    await view.refresh()
    assert.deepEqual(await pricesOf(''), ALL)
  })

  const BAD: [string, string][] = [
    ['minPrice=2&maxPrice=1', '/minPrice'],
    ['minPrice=-1', '/minPrice'],
    ['minWear=0.2&maxWear=0.1', '/minWear'],
    ['minWear=-0.1', '/minWear'],
    ['maxWear=1.01', '/maxWear'],
    [`paintSeed=${Array(51).fill(1)}`, '/paintSeed'],
    ['paintSeed=1001', '/paintSeed'],
    ['paintSeed=1,', '/paintSeed'],
    ['paintSeed=1&paintSeed=2', '/paintSeed'],
    ['itemId=xyz', '/itemId'],
    [`itemId=${Array(501).fill('0'.repeat(16))}`, '/itemId'],
    ['market=steam', '/market'],
    ['weapon=AK-47,Slingshot', '/weapon'],
    ['phase=Phase%209', '/phase'],
    ['delivery=pigeon', '/delivery'],
    [`stickers=${Array.from({ length: 11 }, (_, i) => `s${i}`)}`, '/stickers'],
    [Array.from({ length: 11 }, (_, i) => `stickers=s${i}`).join('&'), '/stickers'],
    [`stickers=${'x'.repeat(5000)}`, '/stickers'],
    [`q=${'x'.repeat(5000)}`, '/q'],
    ['sort=relevance', '/sort'],
    ['sort=priceAsc&sort=priceDesc', '/sort'],
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['page=1', '/page'],
    ['hasStickers=true', '/hasStickers'],
    ['cursor=', '/cursor'],
    ['cursor=019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d', '/cursor'],
    [`cursor=${'x'.repeat(5000)}`, '/cursor'],
    [`cursor=${Buffer.from('priceDesc 1 1').toString('base64url')}`, '/cursor'],
    [`cursor=${Buffer.from('priceAsc 01 1').toString('base64url')}`, '/cursor'],
  ]
  for (const [query, pointer] of BAD) {
    test(`422: ${query.slice(0, 60)}`, async () => {
      const answer = await refusal(`/market/listings?${query}`, 422, 'VALIDATION_FAILED')
      const errors: { pointer: string }[] = answer.json.error?.meta?.errors ?? []
      assert.ok(
        errors.some((problem) => problem.pointer.startsWith(pointer)),
        answer.text,
      )
    })
  }
})
