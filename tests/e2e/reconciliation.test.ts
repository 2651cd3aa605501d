// What an operator learns when a supplier contradicts us, through the service as it runs and the command
// line as it is typed.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { MARKETS, type MarketId } from '../support/sandbox.ts'
import { metricOf } from '../support/server.ts'
import { type Stack, startStack } from '../support/stack.ts'
import {
  type Bought,
  buyNext,
  buyRaw,
  type ListingSupply,
  onlyItem,
  stock,
  untilEnded,
  untilStatus,
} from '../support/trading.ts'
import { until } from '../support/until.ts'

const BASELINES = sql(
  'test_baselines',
  `select market from reconciliation.baseline where scope = 'recent'`,
)

let stack: Stack
let supplies: Readonly<Record<MarketId, ListingSupply>>

before(async () => {
  stack = await startStack(await testDatabase({ poolSize: 2 }), { RECONCILE_INTERVAL_MS: '1000' })
  const [a, b] = await Promise.all([
    stock(stack.control, 'market_a'),
    stock(stack.control, 'market_b'),
  ])
  supplies = { market_a: ofDifferentPrices(a), market_b: ofDifferentPrices(b) }
  await until('both accounts have a baseline', async () => {
    const { db } = stack.database
    return (await db.query(BASELINES, [])).length === MARKETS.length
  })
})
after(() => stack.close())

/** Of two orders of one price each would be a suspect of what is missing. */
function ofDifferentPrices(supply: ListingSupply): ListingSupply {
  const seen = new Set<number>()
  const take: ListingSupply['take'] = () => {
    const listing = supply.take()
    if (seen.has(listing.priceMills)) return take()
    seen.add(listing.priceMills)
    return listing
  }
  return { take }
}

interface Case {
  readonly id: string
  readonly kind: string
  readonly itemId: string | null
  readonly market: string | null
  readonly state: string
  readonly clearedAt: string | null
  readonly facts: Readonly<Record<string, unknown>>
}

const listCases = async (...options: string[]): Promise<Case[]> =>
  JSON.parse(await stack.ops('cases', 'list', '--json', ...options)) as Case[]

const buy = (market: MarketId, token?: string): Promise<Bought> =>
  buyNext(stack.merchant, {
    market,
    supply: supplies[market],
    ...(token === undefined ? {} : { token }),
  })

const itemOf = async ({ receipt }: Bought): Promise<string> =>
  onlyItem(await stack.merchant.get('getMerchantTrade', { params: { tradeId: receipt.id } })).id

const FIND_CASE = sql(
  'test_find_case',
  'select id from reconciliation.case_file where kind = $1 and item_id = $2 and resolved_at is null',
)
/** The open case of this kind about this item: awaited in the table, and read from the command line once. */
async function untilCase(kind: string, itemId: string): Promise<Case> {
  const what = `a case ${kind} of ${itemId}`
  const look = async () => (await stack.database.db.query(FIND_CASE, [kind, itemId])).length > 0
  await until(what, look, { everyMs: 200 })
  const found = (await listCases('--kind', kind)).find((each) => each.itemId === itemId)
  assert.ok(found, what)
  return found
}

/** Buys one listing whose purchase call goes as the word says. */
async function scripted(market: MarketId, word: string): Promise<Bought> {
  await stack.control.script(market, word)
  const bought = await buy(market)
  await until(`"${word}" was played`, async () => (await stack.control.scriptLength(market)) === 0)
  return bought
}

async function unmatchedOf(market: MarketId): Promise<Case> {
  const bought = await scripted(market, 'lost_reply_placed+lookup_blind:15')
  const trade = await untilEnded(stack.merchant, bought.receipt.id)
  assert.equal(onlyItem(trade).error, 'PURCHASE_FAILED')
  const found = await untilCase('orphan_purchase', onlyItem(trade).id)
  assert.equal(found.market, market)
  return found
}

describe('what a market does', { concurrency: MARKETS.length }, () => {
  for (const market of MARKETS) describe(market, { concurrency: 3 }, () => contradictionsOf(market))
})

function contradictionsOf(market: MarketId): void {
  let overcharged: Bought
  let withheld: Bought
  // One after the other: a word is for the next purchase at its market.
  before(async () => {
    overcharged = await scripted(market, 'overcharge:777')
    withheld = await scripted(market, 'seller_cancels+refund_withheld')
  })

  it('a delivery that is taken back in its hold is booked, and is no case', async () => {
    const bought = await buy(market, 'rvsupp00')
    const trade = await untilEnded(stack.merchant, bought.receipt.id)
    assert.equal(trade.status, 'reverted')
    const cases = await listCases('--state', 'all')
    assert.deepEqual(
      cases.filter(({ itemId }) => itemId === onlyItem(trade).id),
      [],
    )
  })

  it('a price that is not the quoted one', async () => {
    const { facts } = await untilCase('price_differs', await itemOf(overcharged))
    assert.equal(Number(facts.paidMills) - Number(facts.ceilingMills), 777)
    await untilStatus(stack.merchant, overcharged.receipt.id, ['completed'])
  })

  it('a refund that its statement claims and our account never saw', async () => {
    const trade = await untilEnded(stack.merchant, withheld.receipt.id)
    assert.equal(trade.status, 'failed')
    const { facts } = await untilCase('refund_not_received', onlyItem(trade).id)
    assert.equal(Number(facts.missingMills), withheld.listing.priceMills)
  })
}

// After what markets do: the cost of an order that was given up would be a second suspect of what is missing.
describe('an order that turns up after it was given up', { concurrency: MARKETS.length }, () => {
  it('at market A is an unmatched purchase, and a person resolves it', async () => {
    const { id } = await unmatchedOf('market_a')
    const shown = await stack.ops('cases', 'show', id)
    assert.match(shown, /orphan_purchase/)
    assert.match(shown, /reconciliation-case\.md#orphan_purchase/)
    await assert.rejects(stack.ops('cases', 'resolve', id), /--reason/)
    const reason = 'the market canceled it and paid it back'
    await stack.ops('cases', 'resolve', id, '--reason', reason, '--by', 'ada')
    await assert.rejects(stack.ops('cases', 'resolve', id, '--reason', reason), /ada/)
    const resolved = await listCases('--state', 'resolved', '--kind', 'orphan_purchase')
    assert.ok(resolved.some((each) => each.id === id))
  })

  it('at market B is an unmatched purchase too', async () => {
    await unmatchedOf('market_b')
  })
})

describe('the timeline of a trade', () => {
  it('has the request, the calls, the books, the events and the webhooks in the order of time', async () => {
    const bought = await buy('market_a')
    await untilStatus(stack.merchant, bought.receipt.id, ['completed'])
    const itemId = await itemOf(bought)
    await until('its last webhook is sent', () =>
      stack.webhooks.typesOf(bought.receipt.id).includes('settled'),
    )
    interface Line {
      readonly at: string
      readonly kind: string
      readonly what: string
    }
    const lines = await until(
      'the webhooks of the trade are sent',
      async () => {
        const { timeline } = JSON.parse(await stack.ops('trade', bought.receipt.id, '--json')) as {
          timeline: Line[]
        }
        const sent = timeline.filter(({ kind }) => kind === 'webhook').map(({ what }) => what)
        return sent.includes('trade.settled') && timeline
      },
      { everyMs: 500 },
    )
    const said = (kind: string): string[] =>
      lines.filter((line) => line.kind === kind).map(({ what }) => what)
    assert.deepEqual(said('request'), ['buy'])
    assert.deepEqual(said('money').slice(0, 2), ['buy', 'settle'])
    assert.equal(said('call')[0], 'place: accepted')
    assert.ok(said('call').includes('look-up: hold'))
    assert.deepEqual(
      said('event'),
      ['initiated', 'pending', 'active', 'hold', 'completed', 'settled'].map((s) => `trade.${s}`),
    )
    const times = lines.map(({ at }) => at)
    assert.deepEqual(times, [...times].sort())

    const shown = await stack.ops('trade', itemId)
    assert.match(shown, /place: accepted/)
    assert.ok(!shown.includes('accept00'), 'the token of the trade URL is not shown')
    await assert.rejects(stack.ops('trade', 'nonsense'), /nothing has this id/)
  })
})

describe('the health of the markets', () => {
  it('shows the workers, their breakers and our money, and what an outage does to them', async () => {
    const read = async () => JSON.parse(await stack.ops('market-health', '--json'))
    await until('both markets are well', async () => (await read()).status === 'ok', {
      everyMs: 1000,
    })
    const { market_a: entry } = (await read()).markets
    assert.equal(entry.commonConsumers, 1)
    assert.ok(Number(entry.workers[0].heartbeat.balanceMills) > 0)
    await stack.control.setMarket('market_a', { online: false })
    await untilOnline('market_a', 0)
    await until('market A is down', async () => (await read()).markets.market_a.status === 'down', {
      everyMs: 1000,
    })
    assert.equal((await read()).status, 'degraded')
    assert.match(await stack.ops('market-health'), /market_a +down/)
    await stack.control.setMarket('market_a', { online: true })
    await untilOnline('market_a', 1)
    await until('market A is back', async () => (await read()).markets.market_a.status === 'ok', {
      everyMs: 1000,
    })
    // After an outage purchases go through at once: nothing is left open.
    const bought = await buy('market_a')
    await untilStatus(stack.merchant, bought.receipt.id, ['completed'])
  })
})

const untilOnline = (market: MarketId, wanted: 0 | 1): Promise<unknown> =>
  until(
    `${market} is seen to be ${wanted === 1 ? 'back' : 'away'}`,
    async () => (await metricOf(stack.server(), 'tradepost_market_online', { market })) === wanted,
    { everyMs: 100 },
  )

describe('the guard of prices', () => {
  it('does not buy at a price that cannot be meant, refunds and reports a case', async () => {
    const { control, merchant } = stack
    // Items that hardly sell have no price to be held against: one of these few sells well enough.
    const dearest = (await control.listings('market_b', 1000)).slice(-15)
    for (const listing of dearest) {
      const cents = Math.max(1, Math.floor(listing.priceMills / 1000))
      await control.setPrice('market_b', listing.id, (cents / 100).toFixed(2))
      await until(
        'the new price is for sale',
        async () => {
          const raw = [`market_b:${listing.id}`]
          const { error } = await buyRaw(merchant, { raw, maxPrice: '0.01' })
          const asked = Number((error?.meta as { currentPrice?: number } | undefined)?.currentPrice)
          return error?.key !== 'PRICE_MISMATCH' || asked < 1
        },
        { everyMs: 200 },
      )
      const { data } = await buyRaw(merchant, { raw: [`market_b:${listing.id}`] })
      if (!data) continue
      const item = onlyItem(await untilEnded(merchant, data.id))
      if (item.status !== 'failed') continue
      assert.equal(item.error, 'LISTING_UNAVAILABLE')
      const { facts } = await untilCase('price_outlier', item.id)
      assert.equal(facts.verdict, 'too cheap')
      return
    }
    assert.fail('every price was believed')
  })
})

const ACCUSING = new Set(['missing', 'late_contradiction', 'balance_differs'])

describe('what a statement shows', () => {
  it('is nothing else: a supplier that agrees has no case', async () => {
    // An order that its market hides has cost something all the same, until the statement explains it.
    await until('no case accuses a supplier', async () => {
      const open = await listCases('--state', 'open')
      return !open.some(({ kind, clearedAt }) => clearedAt === null && ACCUSING.has(kind))
    })
  })
})
