// Every row of a buy item's table of states, reached through the wire: what buyers do, what markets
// answer and how they break, on both markets; with money to the cent and the events in order.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Trade } from '@tradepost/contract'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import {
  COMPLETED,
  checkOutcome,
  DECLINED,
  givenUp,
  type Outcome,
  refusedWith,
  revertedBy,
} from '../support/outcome.ts'
import { MARKETS, type MarketId } from '../support/sandbox.ts'
import { metricOf } from '../support/server.ts'
import { type Stack, startStack } from '../support/stack.ts'
import {
  aBuyer,
  type Bought,
  balanceOf,
  buyNext,
  buyRaw,
  centsOf,
  type ListingSupply,
  readTrade,
  stock,
  tradeUrl,
  untilEnded,
  untilStatus,
} from '../support/trading.ts'
import { until } from '../support/until.ts'

const FUNDED = '100.00'
const FUNDED_CENTS = 10_000

let stack: Stack
let supplies: Readonly<Record<MarketId, ListingSupply>>
/** A slow seller takes 15 s, in which everything else goes on: ordered first, and looked at last. */
const slow = new Map<MarketId, Order>()
/** Checks of trades that end by themselves: a hold takes 14 s, so all of them are waited for at once. */
const ends: (() => Promise<void>)[] = []

before(async () => {
  stack = await startStack(await testDatabase({ poolSize: 2 }), {
    // Long enough that a delivery can be reverted in its hold, however slow the machine is.
    HOLD_SECONDS: '14',
  })
  const [a, b] = await Promise.all(MARKETS.map((market) => stock(stack.control, market)))
  supplies = { market_a: a as ListingSupply, market_b: b as ListingSupply }
  for (const market of MARKETS) slow.set(market, await order(market, 'slowly00'))
})
after(() => stack.close())

interface Order extends Bought {
  readonly behalf: string
}

let buyers = 0
async function order(market: MarketId, token?: string): Promise<Order> {
  const behalf = await aBuyer(stack.merchant, `buyer-${++buyers}`, FUNDED)
  const bought = await buyNext(stack.merchant, {
    market,
    supply: supplies[market],
    behalf,
    ...(token === undefined ? {} : { token }),
  })
  assert.equal(bought.receipt.status, 'initiated')
  return { ...bought, behalf }
}

async function endsAs({ receipt, listing, behalf }: Order, wanted: Outcome): Promise<void> {
  const { merchant, webhooks } = stack
  const trade = await untilEnded(merchant, receipt.id)
  const details = { merchant, webhooks, trade, listing, behalf, fundedCents: FUNDED_CENTS }
  await checkOutcome(details, wanted)
}

const BY_TOKEN: readonly (readonly [string, string, Outcome])[] = [
  ['accept00', 'a buyer who accepts gets the item once the hold is over', COMPLETED],
  ['declin00', 'a buyer who declines loses two percent', DECLINED],
  ['expire00', 'a buyer who lets the offer run out loses two percent', DECLINED],
  ['banned00', 'a buyer banned from trading is refunded', refusedWith('STEAM_ACCOUNT_RESTRICTED')],
  ['holdup00', 'a buyer whom the market blocks is refunded', refusedWith('BUYER_TRADE_RESTRICTED')],
  ['rvuser00', 'a buyer who takes the trade back loses the price', revertedBy('user')],
  ['rvsupp00', 'a seller who takes the item back pays for it', revertedBy('supplier')],
]

describe('what buyers do', { concurrency: MARKETS.length }, () => {
  for (const market of MARKETS) describe(market, { concurrency: 16 }, () => buyersAt(market))
})

function buyersAt(market: MarketId): void {
  for (const [token, rule, outcome] of BY_TOKEN) {
    it(`${token}: ${rule}`, async () => endsAs(await order(market, token), outcome))
  }

  it('slowly00: a slow seller leaves the trade pending, and then delivers', async () => {
    const bought = slow.get(market)
    assert.ok(bought)
    await staysPending(bought)
    ends.push(() => endsAs(bought, COMPLETED))
  })

  for (const [verb, outcome] of [
    ['accept', COMPLETED],
    ['decline', DECLINED],
    ['expire', DECLINED],
  ] as const) {
    it(`manual00: an offer waits until the test makes it ${verb}`, async () => {
      const bought = await order(market, 'manual00')
      await offerMoves(bought, verb)
      await endsAs(bought, outcome)
    })
  }

  for (const by of ['user', 'supplier'] as const) {
    it(`manual00: a delivery in its hold is reverted by the ${by}`, async () => {
      await endsAs(await revertedInHold(market, by), revertedBy(by))
    })

    it(`manual00: a delivery accepted and reverted by the ${by} between two look-ups is reverted too`, async () => {
      const bought = await order(market, 'manual00')
      const offerId = await offerMoves(bought, 'accept')
      await stack.control.revertOffer(offerId, by)
      await endsAs(bought, revertedBy(by))
    })
  }

  it('privat00: a private inventory is refused before the wallet is touched', async () => {
    const behalf = await aBuyer(stack.merchant, `private-${market}`, FUNDED)
    const { id } = supplies[market].take()
    const raw = [`${market}:${id}`]
    const { error } = await buyRaw(stack.merchant, { raw, token: 'privat00', behalf })
    assert.equal(error?.key, 'TRADEURL_INVALID_TOKEN')
    assert.equal(error?.code, 1413)
    const body = { url: tradeUrl('privat00') }
    await stack.merchant.refused('TRADEURL_INVALID_TOKEN', 'createTradeUrl', { behalf, body })
    assert.equal(centsOf(await balanceOf(stack.merchant, behalf)), FUNDED_CENTS)
  })
}

/** Where a busy machine sees a hold only when it is over, with the next delivery. */
const revertedInHold = (market: MarketId, by: 'user' | 'supplier'): Promise<Order> =>
  until(
    'a delivery is reverted in its hold',
    async () => {
      const bought = await order(market, 'manual00')
      const offerId = await offerMoves(bought, 'accept')
      await untilStatus(stack.merchant, bought.receipt.id, ['hold', 'completed'])
      await stack.control.revertOffer(offerId, by)
      return bought
    },
    { deadlineMs: 240_000 },
  )

async function staysPending({ receipt }: Order): Promise<void> {
  await untilStatus(stack.merchant, receipt.id, ['pending'])
  const placedAt = Date.now()
  // As long as others need to be delivered, it does not move.
  await until('three seconds have passed', async () => {
    assert.equal((await readTrade(stack.merchant, receipt.id)).status, 'pending')
    return Date.now() - placedAt > 3000
  })
}

/** Answers the offer of a trade by hand, as soon as there is one, and gives its id. */
async function offerMoves(
  { receipt }: Order,
  verb: 'accept' | 'decline' | 'expire',
): Promise<string> {
  const { offerId } = await until('the trade names its offer', async () => {
    const trade = await readTrade(stack.merchant, receipt.id)
    return trade.status === 'active' && trade.offerId ? { offerId: trade.offerId } : null
  })
  await until('the offer has reached its buyer', async () => {
    return (await stack.control.offer(offerId)).state === 'active'
  })
  await stack.control.moveOffer(offerId, verb)
  return offerId
}

/** A word of the sandbox's script, what it stands for, and how the trade must end at each market. */
const BY_WORD: readonly {
  readonly word: string
  readonly rule: string
  readonly market_a?: Outcome
  readonly market_b?: Outcome
}[] = [
  both('reject:sold_out', 'a sold listing is refunded', refusedWith('LISTING_UNAVAILABLE')),
  both('reject:price_changed', 'a dearer listing is refunded', refusedWith('PRICE_CHANGED')),
  both(
    'reject:no_funds',
    'our own lack of money is a market away',
    refusedWith('MARKET_UNAVAILABLE'),
  ),
  both('reject:unknown', 'an undocumented refusal is looked up', refusedWith('PURCHASE_FAILED')),
  both(
    'http_500',
    'an error without an order is a failed purchase',
    refusedWith('PURCHASE_FAILED'),
  ),
  both('http_500+placed', 'an error with an order is a purchase', COMPLETED),
  both('502', 'a gateway’s error without an order fails', refusedWith('PURCHASE_FAILED')),
  both('502+placed', 'a gateway’s error with an order is a purchase', COMPLETED),
  both('html_200', 'a page instead of an answer fails', refusedWith('PURCHASE_FAILED')),
  both('html_200+placed', 'a page instead of an answer may hide a purchase', COMPLETED),
  both('lost_reply_placed', 'an order whose answer was lost is found', COMPLETED),
  both('lost_reply_placed+lookup_blind:1', 'an order that shows late is found', COMPLETED),
  both(
    'lost_reply_not_placed',
    'a lost call that placed nothing fails',
    refusedWith('PURCHASE_FAILED'),
  ),
  both('success_without_id', 'a success without a number is looked up', COMPLETED),
  both('failure_with_id', 'a failure that names an order is looked up', COMPLETED),
  both('seller_cancels', 'a seller who gives up refunds', givenUp('pending failed')),
  both(
    'seller_cancels_offer',
    'a seller who takes the offer back refunds',
    givenUp('pending [active] failed'),
  ),
  both('reversal_by:user', 'the user’s reversal costs the price', revertedBy('user')),
  both('reversal_by:supplier', 'the supplier’s reversal refunds', revertedBy('supplier')),
  both('slow:1500', 'a slow answer is an answer', COMPLETED),
  {
    word: 'reject:price_changed+extra_status_6',
    rule: 'a refused attempt that stays listed is still refused',
    market_b: refusedWith('PRICE_CHANGED'),
  },
  {
    word: 'lost_reply_not_placed+extra_status_6',
    rule: 'a refused attempt that stays listed is no order',
    market_b: refusedWith('PURCHASE_FAILED'),
  },
  // The last of the list: a round of placing waits for all its answers.
  both('slow:9500', 'an answer after the deadline is looked up', COMPLETED),
]

function both(word: string, rule: string, outcome: Outcome) {
  return { word, rule, market_a: outcome, market_b: outcome }
}

describe('what markets answer', { concurrency: MARKETS.length }, () => {
  for (const market of MARKETS) describe(market, { concurrency: 32 }, () => answersOf(market))
})

function answersOf(market: MarketId): void {
  const orders = new Map<string, Promise<Order>>()
  before(async () => {
    // Updates that come twice or late from now on must change nothing.
    await stack.control.script(market, 'duplicate_news', 'socket_cut')
    for (const { word, [market]: outcome } of BY_WORD) {
      if (outcome) orders.set(word, Promise.resolve(await scripted(market, word)))
    }
    await stack.control.script(market, 'duplicate_news')
  })
  for (const { word, rule, [market]: outcome } of BY_WORD) {
    if (!outcome) continue
    it(`${word}: ${rule}`, async () => {
      const bought = await orders.get(word)
      assert.ok(bought)
      await endsAs(bought, outcome)
    })
  }
}

/** Buys one listing whose purchase call goes as the word says. */
async function scripted(market: MarketId, word: string): Promise<Order> {
  await stack.control.script(market, word)
  const bought = await order(market)
  await until(`"${word}" was played`, async () => (await stack.control.scriptLength(market)) === 0)
  return bought
}

describe('a trade of several items', () => {
  it('is completed by the items that were delivered, and refunds the others', async () => {
    const { merchant, control, webhooks } = stack
    const behalf = await aBuyer(merchant, 'several', FUNDED)
    await control.script('market_a', 'reject:sold_out')
    const trade = await buyOfBoth(behalf)
    // Both markets have answered before a later test takes one of them away.
    await until('one was refused and the other ordered', async () => {
      const { items } = await readTrade(merchant, trade.id)
      return items.every(({ status }) => status !== 'initiated')
    })
    ends.push(async () => {
      const ended = await untilEnded(merchant, trade.id)
      assert.equal(ended.status, 'completed', JSON.stringify(ended.items))
      assert.deepEqual(ended.summary, { total: 2, delivered: 1, completed: 1, failed: 1 })
      const failed = ended.items.find((item) => item.status === 'failed')
      assert.equal(failed?.error, 'LISTING_UNAVAILABLE')
      assert.equal(failed?.refund?.amount, failed?.price)
      const kept = centsOf(ended.totalPrice) - centsOf(failed?.price ?? 0)
      assert.equal(centsOf(await balanceOf(merchant, behalf)), FUNDED_CENTS - kept)
      await until('every event has arrived', () => {
        const types = webhooks.typesOf(trade.id)
        return types.includes('settled') && types.includes('refunded') ? types : null
      })
    })
  })
})

async function buyOfBoth(behalf: string): Promise<Trade> {
  for (;;) {
    const raw = MARKETS.map((market) => `${market}:${supplies[market].take().id}`)
    const { data, error } = await buyRaw(stack.merchant, { raw, behalf })
    if (error?.key === 'LISTING_NOT_FOUND') continue
    assert.ok(data, JSON.stringify(error))
    return readTrade(stack.merchant, data.id)
  }
}

describe('a market that is away', { concurrency: MARKETS.length }, () => {
  for (const market of MARKETS) {
    it(`${market} is refused before the wallet is touched, and sells again when it is back`, async () => {
      const { merchant, control } = stack
      const behalf = await aBuyer(merchant, `away-${market}`, FUNDED)
      await control.setMarket(market, { online: false })
      await untilOnline(market, 0)
      const raw = [`${market}:${supplies[market].take().id}`]
      const refused = await buyRaw(merchant, { raw, behalf })
      assert.ok(['MARKET_UNAVAILABLE', 'LISTING_NOT_FOUND'].includes(refused.error?.key ?? ''))
      assert.equal(centsOf(await balanceOf(merchant, behalf)), FUNDED_CENTS)
      await control.setMarket(market, { online: true })
      await untilOnline(market, 1)
      const supply = supplies[market]
      const { receipt } = await buyNext(merchant, { market, supply, behalf })
      ends.push(() => isCompleted(receipt.id))
    })
  }
})

async function isCompleted(tradeId: string): Promise<void> {
  assert.equal((await untilEnded(stack.merchant, tradeId)).status, 'completed')
}

describe('a market that the operator switches off', () => {
  it('is refused at once, and the other one still sells', async () => {
    const { merchant } = stack
    const behalf = await aBuyer(merchant, 'switched', FUNDED)
    const { id } = await saleable('market_b')
    await stack.ops('market:disable', 'market_b')
    const refused = await buyRaw(merchant, { raw: [`market_b:${id}`], behalf })
    assert.equal(refused.error?.key, 'MARKET_UNAVAILABLE')
    assert.equal(refused.status, 503)
    assert.equal(centsOf(await balanceOf(merchant, behalf)), FUNDED_CENTS)
    const { receipt } = await buyNext(merchant, {
      market: 'market_a',
      supply: supplies.market_a,
      behalf,
    })
    await stack.ops('market:enable', 'market_b')
    assert.equal((await buyRaw(merchant, { raw: [`market_b:${id}`], behalf })).error, null)
    ends.push(() => isCompleted(receipt.id))
  })
})

/** A listing that the service offers at this moment, found by asking for it at a price too low. */
async function saleable(market: MarketId): Promise<{ id: string }> {
  for (;;) {
    const { id } = supplies[market].take()
    const raw = [`${market}:${id}`]
    const { error } = await buyRaw(stack.merchant, { raw, maxPrice: '0.01' })
    if (error?.key === 'PRICE_MISMATCH') return { id }
    assert.equal(error?.key, 'LISTING_NOT_FOUND')
  }
}

const untilOnline = (market: MarketId, wanted: 0 | 1): Promise<unknown> =>
  until(
    `${market} is seen to be ${wanted === 1 ? 'back' : 'away'}`,
    async () => (await metricOf(stack.server(), 'tradepost_market_online', { market })) === wanted,
    { everyMs: 100 },
  )

describe('trading paused by an administrator', () => {
  it('refuses every new buy with 503, lets trades under way end, and resumes', async () => {
    const { merchant } = stack
    const behalf = await aBuyer(merchant, 'paused', FUNDED)
    const underWay = await order('market_a', 'manual00')
    const { id } = await saleable('market_a')
    await stack.ops('trading:pause', '--reason', 'a test of the switch')
    const raw = [`market_a:${id}`]
    await until('the pause is seen', async () => {
      const refused = await buyRaw(merchant, { raw, behalf, maxPrice: '0.01' })
      return refused.error?.key === 'SERVICE_DISABLED'
    })
    const refused = await buyRaw(merchant, { raw, behalf })
    assert.equal(refused.error?.key, 'SERVICE_DISABLED')
    assert.equal(refused.status, 503)
    assert.equal(centsOf(await balanceOf(merchant, behalf)), FUNDED_CENTS)
    await offerMoves(underWay, 'decline')
    await endsAs(underWay, DECLINED)
    await stack.ops('trading:resume', '--reason', 'the test is over')
    const receipt = await until('the resumption is seen', async () => {
      const answer = await buyRaw(merchant, { raw, behalf })
      return answer.error?.key === 'SERVICE_DISABLED' ? null : answer
    })
    assert.equal(receipt.error, null)
  })
})

it('what was bought meanwhile ends as it should, to the cent and to the last event', async () => {
  assert.equal(ends.length, 6)
  await Promise.all(ends.map((check) => check()))
})
