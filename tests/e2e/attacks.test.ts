// What happens when many do different things to one trade, listing, wallet or user at the same moment, over
// HTTP. The same request many times at once is shown beside the code: buy.db.test.ts, fund, users.
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
  untilEnded,
} from '../support/trading.ts'

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
})

describe('one listing', () => {
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

describe('one sub-user', () => {
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
