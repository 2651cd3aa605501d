// Placing at a market that takes fewer purchases than wait for it: slots first, items second.
import assert from 'node:assert/strict'
import { after, before, beforeEach, type TestContext, test } from 'node:test'
import { createReserveSlot, type ReserveSlot, type Slot } from '#infra/database/call-slots'
import { sql } from '#infra/database/db'
import { systemClock } from '#infra/process/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { recordingDb } from '#infra/testing/recording-db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { createCallLog, withCallLog } from '#reconciliation'
import { createMarketB } from '../../adapters/market-b/index.ts'
import { startSupplier } from '../../adapters/shared/testing/supplier-server.ts'
import {
  givenBuyer,
  givenListing,
  givenMerchant,
  testBuy,
} from '../../modules/trading/buying/testing/buyers.ts'
import { createPlaceOrders } from './place-orders.ts'

const SECOND = 1000
/** Of the calls in a minute two thirds are purchases: one each 20 ms. */
const CALLS_PER_MINUTE = 5625
/** As many spacings as eight seconds are at the pace of the market's documents. */
const PATIENCE_MS = 80

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(() =>
  database.db.script(
    `update buying.item set work = 'none', is_live = false; delete from buying.turn;
     truncate reconciliation.supplier_call, infra.rate_slot`,
  ),
)

async function givenWaiting(count: number): Promise<void> {
  const { db } = database
  const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 100_000_000n })
  const buy = testBuy({ db, clock: systemClock })
  for (let bought = 0; bought < count; bought += 10) {
    const items = await Promise.all(
      Array.from({ length: Math.min(10, count - bought) }, async () => ({
        listing: { id: await givenListing(db, { priceMills: 10_000n }) },
        maxPrice: cents(5000n),
        externalId: null,
      })),
    )
    await buy(buyer, { requestId: newId(), externalId: null, tradeUrl: null, items })
  }
}

/** A market, and workers that place there until so many purchases have reached it. */
async function placeUntil(context: TestContext, most: number, workers: number) {
  const stop = new AbortController()
  const purchases: string[] = []
  const { adapter } = await startSupplier(context, ({ url = '' }, reply) => {
    const customId = new URL(url, 'http://market').searchParams.get('project_id')
    if (customId !== null) purchases.push(customId)
    if (purchases.length >= most) stop.abort()
    reply.end(JSON.stringify({ success: true, id: purchases.length, price: 5, msg: '' }))
  })
  const slots: Slot[] = []
  const reserve = createReserveSlot({ db: database.db, clock: systemClock })
  // The burst of the minute was used up before.
  const reserveSlot: ReserveSlot = async (name, spacingMs, options) => {
    const slot = await reserve(name, spacingMs, { ...options, burst: 0 })
    slots.push(slot)
    return slot
  }
  const calls = createCallLog({ db: database.db })
  const recorded = recordingDb(database.db)
  const putBack: string[] = []
  const work = (): Promise<unknown> => {
    const { market } = createMarketB({
      ...adapter,
      reserveSlot,
      callsPerMinute: CALLS_PER_MINUTE,
      buyPatienceMs: PATIENCE_MS,
    })
    const job = createPlaceOrders({
      db: recorded,
      clock: systemClock,
      market: withCallLog(market, { log: calls, clock: systemClock }),
      isMarketAvailable: async () => true,
      holdMs: 60 * SECOND,
      leaseMs: 60 * SECOND,
      giveUpMs: 900 * SECOND,
      concurrency: 16,
      onPutBack: (reason) => putBack.push(reason),
      onCase: (kind) => assert.fail(`an unexpected case: ${kind}`),
    })
    return job.work({ signal: stop.signal, processId: newId() })
  }
  await Promise.all(Array.from({ length: workers }, work))
  await calls.flush()
  const claims = recorded.taken().filter((name) => name === 'buying.claim_placements').length
  return { purchases, claims, slots, putBack }
}

const COUNT_CALLS = sql(
  'test.count_calls',
  `select operation || ': ' || outcome kind, count(*)::int count
   from reconciliation.supplier_call group by 1 order by 1`,
)

test('items that wait for a slow market are claimed when it can take them, and calls that did not leave are no rows', async (context) => {
  for (let tenant = 0; tenant < 2; tenant++) await givenWaiting(250)
  const { purchases, claims, slots, putBack } = await placeUntil(context, 60, 2)
  const placed = purchases.length
  assert.ok(placed >= 60, `${placed} placed`)
  assert.equal(new Set(purchases).size, placed)
  assert.ok(claims <= 3 * placed, `${claims} claims for ${placed} placed items`)
  assert.ok(slots.length <= 3 * placed, `${slots.length} slots asked for`)
  assert.ok(putBack.length <= placed / 3, String(putBack))
  assert.deepEqual(await database.db.query(COUNT_CALLS), [
    { kind: 'place: accepted', count: placed },
  ])
})

test('the first item at a quiet market is claimed once, for a slot that is free at once', async (context) => {
  await givenWaiting(1)
  const { purchases, claims, slots } = await placeUntil(context, 1, 1)
  assert.deepEqual([purchases.length, claims], [1, 1])
  assert.deepEqual(
    slots.map((slot) => slot.kind === 'granted' && slot.waitMs),
    [0],
  )
})
