// What happens when many do the same thing at the same moment: each promise about races, over HTTP.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import type { Answer } from '../support/client.ts'
import { MARKETS, type MarketId, type SandboxListing } from '../support/sandbox.ts'
import { shareStack } from '../support/shared-stack.ts'
import type { Stack } from '../support/stack.ts'
import {
  aBuyer,
  balanceOf,
  buyRaw,
  centsOf,
  type ListingSupply,
  readTrade,
  stock,
  tradeUrl,
  untilEnded,
} from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack
let supplies: Readonly<Record<MarketId, ListingSupply>>

before(async () => {
  stack = await shareStack()
  const [a, b] = await Promise.all(MARKETS.map((market) => stock(stack.control, market)))
  supplies = { market_a: a as ListingSupply, market_b: b as ListingSupply }
})
after(() => stack.close())
afterEach(() => stack.auditBooks())

const atOnce = <Value>(count: number, work: (i: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

/** A listing that is for sale, known by the refusal of a price too low. */
async function forSale(market: MarketId = 'market_a'): Promise<SandboxListing & { raw: string }> {
  for (;;) {
    const listing = supplies[market].take()
    const raw = `${market}:${listing.id}`
    const { error } = await buyRaw(stack.merchant, { raw: [raw], maxPrice: '0.01' })
    if (error?.key === 'PRICE_MISMATCH') return { ...listing, raw }
  }
}

async function tradesOf(externalId: string): Promise<string[]> {
  const { trades } = await stack.merchant.get('listMerchantTrades', { query: { externalId } })
  return trades.map(({ id }) => id)
}

const keysOf = (answers: readonly Answer<unknown>[]): string[] =>
  answers.map(({ error }) => error?.key ?? 'accepted').sort()

describe('one external id', () => {
  it('sent 32 times at once makes one trade and 32 equal answers', async () => {
    const behalf = await aBuyer(stack.merchant, 'same-32')
    const { raw } = await forSale()
    const answers = await atOnce(32, () =>
      buyRaw(stack.merchant, { raw: [raw], behalf, externalId: 'one-request' }),
    )
    for (const { status, data } of answers) {
      assert.equal(status, 200)
      assert.deepEqual(data, answers[0]?.data)
    }
    assert.equal(new Set(answers.map(({ requestId }) => requestId)).size, 32)
    assert.equal((await tradesOf('one-request')).length, 1)
    const paid = 10_000 - centsOf(answers[0]?.data?.totalPrice ?? 0)
    assert.equal(centsOf(await balanceOf(stack.merchant, behalf)), paid)
  })

  it('with another body is a conflict, also when both arrive at once', async () => {
    const behalf = await aBuyer(stack.merchant, 'conflict')
    const listings = [await forSale(), await forSale()]
    const answers = await atOnce(32, (i) =>
      buyRaw(stack.merchant, {
        raw: [listings[i % 2]?.raw ?? ''],
        behalf,
        externalId: 'two-requests',
      }),
    )
    const keys = keysOf(answers)
    assert.deepEqual(keys, [
      ...Array.from({ length: 16 }, () => 'IDEMPOTENCY_CONFLICT'),
      ...Array.from({ length: 16 }, () => 'accepted'),
    ])
    assert.equal((await tradesOf('two-requests')).length, 1)
  })

  it('belongs to one sub-user: another one’s is another trade', async () => {
    const buyers = [await aBuyer(stack.merchant, 'mine'), await aBuyer(stack.merchant, 'yours')]
    for (const behalf of buyers) {
      const { raw } = await forSale()
      const { data } = await buyRaw(stack.merchant, { raw: [raw], behalf, externalId: 'shared' })
      assert.ok(data)
    }
    assert.equal((await tradesOf('shared')).length, 2)
  })
})

describe('one listing', () => {
  for (const market of MARKETS) {
    it(`of ${market} wanted by 32 buyers is sold to one, and no other is debited`, async () => {
      const buyers = await atOnce(32, (i) => aBuyer(stack.merchant, `rush-${market}-${i}`, '30.00'))
      const { raw } = await forSale(market)
      const answers = await atOnce(32, (i) =>
        buyRaw(stack.merchant, { raw: [raw], behalf: buyers[i] ?? '' }),
      )
      assert.deepEqual(keysOf(answers), [
        ...Array.from({ length: 31 }, () => 'LISTING_NOT_FOUND'),
        'accepted',
      ])
      for (const [i, { data }] of answers.entries()) {
        const spent = centsOf(data?.totalPrice ?? 0)
        assert.equal(centsOf(await balanceOf(stack.merchant, buyers[i])), 3000 - spent)
      }
      const trade = answers.find(({ data }) => data !== null)?.data
      assert.equal((await untilEnded(stack.merchant, trade?.id ?? '')).status, 'completed')
    })
  }

  it('named twice in one request, by either of its names, is refused', async () => {
    const { raw } = await forSale()
    const twice = await buyRaw(stack.merchant, { raw: [raw, raw] })
    assert.equal(twice.error?.key, 'DUPLICATE_LISTING_ID')
  })

  it('in many baskets at once is in one of them, and the others are refused whole', async () => {
    const wanted = await forSale()
    const others = await atOnce(8, () => forSale('market_b'))
    const behalf = await aBuyer(stack.merchant, 'baskets', '500.00')
    const answers = await atOnce(8, (i) => {
      const basket = [wanted.raw, others[i]?.raw ?? '']
      return buyRaw(stack.merchant, { raw: i % 2 === 0 ? basket : basket.reverse(), behalf })
    })
    assert.deepEqual(keysOf(answers), [
      ...Array.from({ length: 7 }, () => 'LISTING_NOT_FOUND'),
      'accepted',
    ])
    const paid = answers.reduce((sum, { data }) => sum + centsOf(data?.totalPrice ?? 0), 0)
    assert.equal(centsOf(await balanceOf(stack.merchant, behalf)), 50_000 - paid)
  })
})

describe('one wallet', () => {
  it('serves exactly as many of 40 buys as it covers', async () => {
    const listings = await atOnce(40, () => forSale('market_b'))
    const prices = await pricesOf(listings)
    const sorted = [...prices].sort((left, right) => left - right)
    const funded = sorted.slice(0, 20).reduce((sum, price) => sum + price, 0)
    const behalf = await aBuyer(stack.merchant, 'overdraw', (funded / 100).toFixed(2))
    const answers = await atOnce(40, (i) =>
      buyRaw(stack.merchant, { raw: [listings[i]?.raw ?? ''], behalf }),
    )
    const bought = answers.reduce((sum, { data }) => sum + centsOf(data?.totalPrice ?? 0), 0)
    const left = funded - bought
    assert.equal(centsOf(await balanceOf(stack.merchant, behalf)), left)
    assert.ok(left >= 0)
    const refused = answers.flatMap(({ error }, i) => (error ? [{ error, i }] : []))
    assert.ok(refused.length > 0 && refused.length < 40)
    for (const { error, i } of refused) {
      assert.equal(error.key, 'INSUFFICIENT_BALANCE')
      assert.equal(error.meta?.requiredCents, prices[i])
      assert.ok((prices[i] ?? 0) > left, 'nothing was refused that the rest still covers')
    }
  })

  it('of equal prices serves exactly the number that fits', async () => {
    const listings = await atOnce(40, () => forSale('market_a'))
    for (const { id } of listings) await stack.control.setPrice('market_a', id, '2.00')
    // 2.00 with 5% for the house and 2% for the merchant: 2.14.
    const behalf = await aBuyer(stack.merchant, 'thirteen', (13 * 2.14 + 2.13).toFixed(2))
    await until('the prices have arrived', async () => {
      const seen = await pricesOf(listings)
      return seen.every((price) => price === 214)
    })
    const answers = await atOnce(40, (i) =>
      buyRaw(stack.merchant, { raw: [listings[i]?.raw ?? ''], behalf }),
    )
    assert.deepEqual(keysOf(answers), [
      ...Array.from({ length: 27 }, () => 'INSUFFICIENT_BALANCE'),
      ...Array.from({ length: 13 }, () => 'accepted'),
    ])
    assert.equal(centsOf(await balanceOf(stack.merchant, behalf)), 213)
  })

  it('is funded once by 32 equal requests under one key', async () => {
    const behalf = await aBuyer(stack.merchant, 'funded-once', '1.00')
    const fund = () =>
      stack.merchant.get('fundSubUser', {
        params: { id: behalf },
        body: { amount: '25.00' },
        idempotencyKey: 'one-funding',
      })
    const answers = await atOnce(32, fund)
    assert.equal(new Set(answers.map(({ transactionId }) => transactionId)).size, 1)
    assert.equal(answers.filter(({ idempotent }) => !idempotent).length, 1)
    assert.equal(await balanceOf(stack.merchant, behalf), 26)
    await stack.merchant.refused('IDEMPOTENCY_CONFLICT', 'fundSubUser', {
      params: { id: behalf },
      body: { amount: '25.01' },
      idempotencyKey: 'one-funding',
    })
  })

  it('gives back, in a race of defunds, no more than it holds', async () => {
    const behalf = await aBuyer(stack.merchant, 'defunded', '10.00')
    const merchantBefore = centsOf(await balanceOf(stack.merchant))
    const answers = await atOnce(32, (i) =>
      stack.merchant.call('defundSubUser', {
        params: { id: behalf },
        body: { amount: '3.00' },
        idempotencyKey: `defund-${i}`,
      }),
    )
    assert.deepEqual(keysOf(answers), [
      ...Array.from({ length: 29 }, () => 'INSUFFICIENT_BALANCE'),
      ...Array.from({ length: 3 }, () => 'accepted'),
    ])
    assert.equal(await balanceOf(stack.merchant, behalf), 1)
    assert.equal(centsOf(await balanceOf(stack.merchant)), merchantBefore + 900)
  })

  it('is not drawn twice by buys and defunds that race', async () => {
    const listings = await atOnce(10, () => forSale('market_b'))
    const behalf = await aBuyer(stack.merchant, 'drawn', '20.00')
    const [buys, defunds] = await Promise.all([
      atOnce(10, (i) => buyRaw(stack.merchant, { raw: [listings[i]?.raw ?? ''], behalf })),
      atOnce(10, (i) =>
        stack.merchant.call('defundSubUser', {
          params: { id: behalf },
          body: { amount: '4.00' },
          idempotencyKey: `drawn-${i}`,
        }),
      ),
    ])
    const spent = buys.reduce((sum, { data }) => sum + centsOf(data?.totalPrice ?? 0), 0)
    const taken = defunds.filter(({ data }) => data !== null).length * 400
    assert.equal(centsOf(await balanceOf(stack.merchant, behalf)), 2000 - spent - taken)
  })
})

/** What each listing costs a sub-user at this moment, in cents. */
const pricesOf = (listings: readonly { raw: string }[]): Promise<number[]> =>
  Promise.all(
    listings.map(async ({ raw }) => {
      const behalf = 'price-asker'
      await stack.merchant.get('createSubUser', { body: { externalId: behalf } })
      const { error } = await buyRaw(stack.merchant, { raw: [raw], behalf, maxPrice: '0.01' })
      assert.equal(error?.key, 'PRICE_MISMATCH')
      return centsOf(Number(error.meta?.currentPrice))
    }),
  )

describe('one sub-user', () => {
  it('created 32 times at once under one externalId is one', async () => {
    const answers = await atOnce(32, () =>
      stack.merchant.get('createSubUser', { body: { externalId: 'created-once' } }),
    )
    assert.equal(new Set(answers.map(({ id }) => id)).size, 1)
    assert.equal(answers.filter(({ idempotent }) => !idempotent).length, 1)
  })

  it('that is deleted while it buys is either deleted or has a trade, never both', async () => {
    for (let round = 0; round < 4; round++) {
      const behalf = `deleted-${round}`
      const { id } = await stack.merchant.get('createSubUser', { body: { externalId: behalf } })
      const { raw } = await forSale('market_b')
      await Promise.all([
        stack.merchant.call('deleteSubUser', { params: { id } }),
        stack.merchant.call('fundSubUser', {
          params: { id },
          body: { amount: '50.00' },
          idempotencyKey: `deleted-${round}`,
        }),
        buyRaw(stack.merchant, { raw: [raw], behalf }),
      ])
      const { error } = await stack.merchant.call('getSubUser', { params: { id } })
      const { trades } = await stack.merchant.get('listMerchantTrades', { query: { limit: 100 } })
      if (error) assert.ok(!trades.some(({ userId }) => userId === id))
    }
  })

  it('has one primary trade URL, whichever requests made which one primary at once', async () => {
    const behalf = await aBuyer(stack.merchant, 'primary')
    const urls = await atOnce(6, (i) =>
      stack.merchant.get('createTradeUrl', {
        behalf,
        body: { url: tradeUrl('accept00', 5000 + i) },
      }),
    )
    await atOnce(12, (i) =>
      stack.merchant.call('updateTradeUrl', {
        behalf,
        params: { id: urls[i % 6]?.id ?? '' },
        body: { isPrimary: true },
      }),
    )
    const left = await stack.merchant.get('listTradeUrls', { behalf })
    assert.equal(left.filter(({ isPrimary }) => isPrimary).length, 1)
  })
})

describe('after a restart on the same data', () => {
  it('replays answer as before, and trades under way go on to their end', async () => {
    const behalf = await aBuyer(stack.merchant, 'restarted')
    const done = await forSale()
    const underWay = await forSale('market_b')
    const request = { raw: [done.raw], behalf, externalId: 'before-the-restart' }
    const first = await buyRaw(stack.merchant, request)
    assert.ok(first.data)
    await untilEnded(stack.merchant, first.data.id)
    const second = await buyRaw(stack.merchant, { raw: [underWay.raw], behalf })
    assert.ok(second.data)
    const funded = await stack.merchant.get('fundSubUser', {
      params: { id: behalf },
      body: { amount: '100.00' },
      idempotencyKey: `fund-${behalf}`,
    })

    await stack.restart()

    assert.deepEqual((await buyRaw(stack.merchant, request)).data, first.data)
    const other = await buyRaw(stack.merchant, { ...request, maxPrice: '899.00' })
    assert.equal(other.error?.key, 'IDEMPOTENCY_CONFLICT')
    const again = await stack.merchant.get('fundSubUser', {
      params: { id: behalf },
      body: { amount: '100.00' },
      idempotencyKey: `fund-${behalf}`,
    })
    assert.deepEqual(again, { ...funded, idempotent: true })
    assert.equal((await readTrade(stack.merchant, first.data.id)).status, 'completed')
    assert.equal((await untilEnded(stack.merchant, second.data.id)).status, 'completed')
  })
})
