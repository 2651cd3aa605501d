// What was bought is not for sale: its buyer sees that as soon as the buy is answered.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createPartnerClient } from '../support/client.ts'
import { buyBody } from '../support/partner.ts'
import { shareStack } from '../support/shared-stack.ts'
import type { Stack } from '../support/stack.ts'
import { aBuyer, tradeUrl } from '../support/trading.ts'

let stack: Stack
let behalf: string
before(async () => {
  stack = await shareStack()
  behalf = await aBuyer(stack.merchant, 'shopper', '500.00')
})
after(() => stack.close())

/** What the service offers of an item; asked before a buy, every memory of it is warm. */
async function offerOf(itemId: string) {
  const [item, { items: listings }, { items: market }] = await Promise.all([
    stack.merchant.get('getItem', { behalf, params: { itemId } }),
    stack.merchant.get('listItemListings', { behalf, params: { itemId }, query: { limit: 100 } }),
    stack.merchant.get('listLiveMarket', { behalf, query: { limit: 100 } }),
  ])
  const ids = listings.map(({ id }) => id)
  return {
    ...{ item, listings, ids },
    /** Every list in which the listing is. */
    showing: (id: string) =>
      [
        ids.includes(id) && 'listings',
        market.some((listing) => listing.id === id) && 'live market',
      ].filter(Boolean),
  }
}

/** Buys the cheapest three times in a row; `buy` answers after the listing is gone. */
async function buysInARow(itemId: string, buy: (wanted: Wanted) => Promise<unknown>) {
  for (let time = 1; time <= 3; time++) {
    const before = await offerOf(itemId)
    const [cheapest, next] = before.listings
    assert.ok(cheapest && next, 'two are for sale')
    await buy({ itemId, id: cheapest.id, maxPrice: cheapest.price.toFixed(2) })
    const { item, ids, showing } = await offerOf(itemId)
    assert.deepEqual(showing(cheapest.id), [], `time ${time}`)
    assert.deepEqual(ids, before.ids.slice(1))
    assert.equal(item.listingsCount, (before.item.listingsCount ?? 0) - 1)
    assert.equal(item.price?.standard, next.price)
  }
}

interface Wanted {
  readonly itemId: string
  readonly id: string
  readonly maxPrice: string
}

async function someItem(skip: number): Promise<string> {
  const { items } = await stack.merchant.get('searchMarket', {
    behalf,
    query: { inStock: true, minPrice: '0.50', maxPrice: '10.00', limit: 100 },
  })
  const item = items.filter(({ listingsCount = 0 }) => listingsCount >= 4)[skip]
  assert.ok(item, 'something is for sale four times')
  return item.id
}

describe('the answer of a buy comes after its listing is out of search, listings and live market', () => {
  it('of POST /market/buy', async () => {
    await buysInARow(await someItem(0), ({ id, maxPrice }) =>
      stack.merchant.get('buy', {
        behalf,
        body: { items: [{ listingId: id, maxPrice }], tradeUrl: tradeUrl() },
      }),
    )
  })

  it('of POST /market/quick-buy', async () => {
    await buysInARow(await someItem(1), ({ itemId, maxPrice }) =>
      stack.merchant.get('quickBuy', {
        behalf,
        body: { itemId, amount: 1, delivery: 'standard', maxPrice, tradeUrl: tradeUrl() },
      }),
    )
  })

  it('of POST /v2/market/buy', async () => {
    const { baseUrl, partner } = stack.demo
    const child = createPartnerClient({ baseUrl, apiKey: partner.childApiKey })
    await buysInARow(await someItem(2), async ({ itemId, id }) => {
      const { listings } = await child.get('listListings', { query: { item: itemId } })
      const listing = listings.find((each) => each.id === id)
      assert.ok(listing, 'the partner sees the listing')
      await child.get('buyListing', { body: buyBody(listing), idempotencyKey: randomUUID() })
      const { listings: left } = await child.get('listListings', { query: { item: itemId } })
      assert.ok(left.every((each) => each.id !== id))
    })
  })
})
