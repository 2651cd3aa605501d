import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { auditTrades, readTrades, type Status } from '#trades'
import { type CancelBuy, createCancelBuy } from './cancel.ts'
import { createFinishCancels } from './finish-cancels.ts'
import type { CancelAnswer } from './ports.ts'
import { scheduleCancels } from './store/cancel.ts'
import { balanceOf, givenBuyer, givenListing, givenMerchant, testBuy } from './testing/buyers.ts'
import { followRound, placeRound } from './testing/rounds.ts'
import { orderUpdate, type ScriptedSupplier, scriptedSupplier } from './testing/supplier.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

let database: TestDatabase
let clock: ManualClock
let supplier: ScriptedSupplier
let cancelBuy: CancelBuy
let cases: string[]

before(async () => {
  database = await testDatabase({ poolSize: 20 })
})
after(() => database.close())
beforeEach(() => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  supplier = scriptedSupplier()
  cases = []
  cancelBuy = cancelling()
})
afterEach(async () => {
  const { db } = database
  assert.deepEqual(await auditTrades(db), [])
  assert.deepEqual(await db.query(sql('test.audit', 'select * from ledger.audit()')), [])
  await db.script(`update buying.item set due_at = 'infinity' where work <> 'none'`)
})

const cancelling = (market: ScriptedSupplier = supplier): CancelBuy =>
  createCancelBuy({
    db: database.db,
    clock,
    marketOf: () => market,
    patienceMs: 10 * SECOND,
    concurrency: 4,
    onCase: (what) => void cases.push(what),
  })
const place = () => placeRound({ db: database.db, clock, market: supplier, concurrency: 8 })
const finish = () =>
  createFinishCancels({
    db: database.db,
    clock,
    market: supplier,
    leaseMs: 60 * SECOND,
    onCase: (what) => void cases.push(what),
  })()
const follow = () =>
  followRound({ db: database.db, clock, market: supplier, onCase: (what) => void cases.push(what) })

async function givenBuy(count = 1) {
  const { db } = database
  const buyer = await givenBuyer(db, { tenantId: await givenMerchant(db), balance: 50_000n })
  const items = []
  for (let i = 0; i < count; i++) {
    items.push({
      listing: { id: await givenListing(db, { priceMills: 10_000n }) },
      maxPrice: cents(5_000n),
      externalId: `unit-${i}`,
    })
  }
  const { tradeId } = await testBuy({ db, clock })(buyer, {
    requestId: newId(),
    externalId: null,
    tradeUrl: null,
    items,
  })
  const trade = async () => {
    const [read] = await readTrades(db, [tradeId])
    assert.ok(read)
    return read
  }
  const itemIds = (await trade()).items.map(({ id }) => id)
  return {
    tradeId,
    itemIds,
    itemId: itemIds[0] as string,
    listingIds: items.map(({ listing }) => listing.id),
    trade,
    statuses: async (): Promise<Status[]> => (await trade()).items.map(({ status }) => status),
    cancel: (item: string | null = null) => cancelBuy({ tradeId, item }, { requestId: newId() }),
    balance: () => balanceOf(db, buyer.accountId, 'spot'),
    escrow: () => balanceOf(db, buyer.accountId, 'escrow'),
  }
}

describe('an item that no worker has claimed', () => {
  it('is canceled at once and refunded in full, and its listing is for sale again', async () => {
    const buy = await givenBuy(2)
    const outcomes = await buy.cancel()
    assert.deepEqual(
      outcomes.map(({ canceled, reason, was, externalId }) => [canceled, reason, was, externalId]),
      [
        [true, null, 'initiated', 'unit-0'],
        [true, null, 'initiated', 'unit-1'],
      ],
    )
    assert.deepEqual([await buy.balance(), await buy.escrow()], [50_000n, 0n])
    assert.equal((await buy.trade()).status, 'canceled')
    await place()
    assert.equal(supplier.purchases.length, 0, 'nothing is bought any more')
    const [row] = await database.db.query<{ count: bigint }>(
      sql('test.free', 'select count(*) from catalog.listing where id = any ($1) and not taken'),
      [buy.listingIds],
    )
    assert.equal(row?.count, 2n)
    assert.deepEqual(await buy.cancel(), [], 'nothing is left to cancel')
  })

  it('is canceled in one commit with all others of its trade, and each is refunded', async () => {
    const buy = await givenBuy(10)
    await buy.cancel('unit-3')
    assert.equal((await buy.cancel()).filter(({ canceled }) => canceled).length, 9)
    assert.deepEqual([await buy.balance(), await buy.escrow()], [50_000n, 0n])
    const commits = await database.db.query<{ items: number }>(
      sql(
        'test.commits',
        `select count(*)::int items from trades.item_step where trade_id = $1 and status = 'canceled'
         group by xmin::text order by 1`,
      ),
      [buy.tradeId],
    )
    assert.deepEqual(
      commits.map(({ items }) => items),
      [1, 9],
    )
  })

  it('is found by the external id that it was bought under, and alone', async () => {
    const buy = await givenBuy(3)
    const [outcome] = await buy.cancel('unit-1')
    assert.equal(outcome?.itemId, buy.itemIds[1])
    assert.deepEqual(await buy.statuses(), ['initiated', 'canceled', 'initiated'])
    assert.deepEqual(await buy.cancel('unit-9'), [])
  })

  it('is canceled or placed, never both, when a worker comes at the same moment', async () => {
    const buys = await Promise.all(Array.from({ length: 12 }, () => givenBuy()))
    const [outcomes] = await Promise.all([
      Promise.all(buys.map((buy) => buy.cancel())),
      place(),
      place(),
    ])
    const bought = new Set(supplier.purchases.map(({ customId }) => customId))
    for (const [i, buy] of buys.entries()) {
      const outcome = outcomes[i]?.[0]
      assert.equal(bought.has(buy.itemId), !outcome?.canceled)
      assert.deepEqual(await buy.statuses(), [outcome?.canceled ? 'canceled' : 'pending'])
      assert.equal(await buy.balance(), outcome?.canceled ? 50_000n : 50_000n - 1_070n)
    }
  })

  it('once claimed has to wait for its supplier’s answer', async () => {
    const buy = await givenBuy()
    const { promise, resolve } = Promise.withResolvers<void>()
    supplier.answers.push(
      promise.then(() => ({ kind: 'accepted', orderId: '1', paidMills: null }) as const),
    )
    const placing = place()
    while (supplier.purchases.length === 0) await new Promise((turn) => setImmediate(turn))
    assert.equal((await buy.cancel())[0]?.reason, 'TRADE_CANCEL_TOO_SOON')
    resolve()
    await placing
    assert.deepEqual(await buy.statuses(), ['pending'])
  })
})

describe('a placed item', () => {
  const givenPlaced = async (count = 1) => {
    const buy = await givenBuy(count)
    await place()
    clock.advance(4 * SECOND)
    return buy
  }

  it('is canceled when its supplier agrees, and refunded in full', async () => {
    const buy = await givenPlaced(2)
    const outcomes = await buy.cancel()
    assert.ok(outcomes.every(({ canceled, was }) => canceled && was === 'pending'))
    assert.deepEqual(
      supplier.cancels.map(({ customId }) => customId).sort(),
      [...buy.itemIds].sort(),
    )
    assert.equal(await buy.balance(), 50_000n)
  })

  it('younger than its market wants is too soon, and the market is not asked', async () => {
    const buy = await givenBuy()
    await place()
    clock.advance(2_999)
    assert.equal((await buy.cancel())[0]?.reason, 'TRADE_CANCEL_TOO_SOON')
    assert.equal(supplier.cancels.length, 0)
    assert.deepEqual(await buy.statuses(), ['pending'])
  })

  it('at a market that knows no cancel cannot be canceled', async () => {
    const buy = await givenPlaced()
    cancelBuy = cancelling({ ...supplier, traits: { ...supplier.traits, cancelAfterMs: null } })
    assert.equal((await buy.cancel())[0]?.reason, 'TRADE_NOT_CANCELLABLE')
  })

  for (const [because, reason] of [
    ['too-soon', 'TRADE_CANCEL_TOO_SOON'],
    ['offer-out', 'TRADE_NOT_CANCELLABLE'],
    ['other', null],
  ] as const) {
    it(`goes on when its supplier refuses because of ${because}`, async () => {
      const buy = await givenPlaced()
      supplier.cancelAnswers.push({ kind: 'refused', because, detail: 'no' })
      const [outcome] = await buy.cancel()
      assert.deepEqual([outcome?.canceled, outcome?.reason], [false, reason])
      assert.deepEqual(await buy.statuses(), ['pending'])
      assert.equal(await buy.balance(), 50_000n - 1_070n)
    })
  }

  for (const wasCanceled of [true, false]) {
    it(`after a lost answer waits for what its order says: ${wasCanceled ? 'canceled' : 'delivered'}`, async () => {
      const buy = await givenPlaced()
      supplier.cancelAnswers.push({ kind: 'unknown', detail: 'lost' })
      const [outcome] = await buy.cancel()
      assert.deepEqual([outcome?.canceled, outcome?.reason], [false, null])
      assert.deepEqual(await buy.statuses(), ['pending'], 'the result is unknown')
      supplier.orders.set(buy.itemId, orderUpdate(wasCanceled ? 'canceled' : 'hold'))
      clock.advance(2 * SECOND)
      await follow()
      assert.deepEqual(await buy.statuses(), [wasCanceled ? 'canceled' : 'hold'])
      assert.equal(await buy.balance(), wasCanceled ? 50_000n : 50_000n - 1_070n)
    })
  }

  it('may be asked for again after a lost answer', async () => {
    const buy = await givenPlaced()
    supplier.cancelAnswers.push({ kind: 'unknown', detail: 'lost' })
    await buy.cancel()
    assert.equal((await buy.cancel())[0]?.canceled, true)
    assert.deepEqual(await buy.statuses(), ['canceled'])
  })

  it('with its offer out cannot be canceled, and nothing delivered or ended can', async () => {
    const buy = await givenPlaced()
    for (const [update, status] of [
      ['active', 'active'],
      ['hold', 'hold'],
    ] as const) {
      supplier.orders.set(buy.itemId, orderUpdate(update, { offerId: '9' }))
      clock.advance(2 * SECOND)
      await follow()
      const [outcome] = await buy.cancel(buy.itemId)
      assert.deepEqual([outcome?.was, outcome?.reason], [status, 'TRADE_NOT_CANCELLABLE'])
    }
    assert.deepEqual(await buy.cancel(), [], 'of the whole trade nothing is asked for')
    assert.equal(supplier.cancels.length, 0)
  })

  it('of which its supplier says canceled after it was delivered is an operator’s case', async () => {
    const buy = await givenPlaced()
    const { promise, resolve } = Promise.withResolvers<CancelAnswer>()
    supplier.cancelAnswers.push(promise)
    const canceling = buy.cancel()
    while (supplier.cancels.length === 0) await new Promise((turn) => setImmediate(turn))
    supplier.orders.set(buy.itemId, orderUpdate('hold', { offerId: '9' }))
    clock.advance(2 * SECOND)
    await follow()
    resolve({ kind: 'canceled' })
    assert.deepEqual((await canceling)[0]?.canceled, false)
    assert.deepEqual(await buy.statuses(), ['hold'])
    assert.deepEqual(cases, ['late_contradiction'])
  })

  it('ends once, with its money right, when cancel and update come at the same moment', async () => {
    const buys = await Promise.all(Array.from({ length: 10 }, () => givenBuy()))
    await place()
    clock.advance(4 * SECOND)
    supplier.cancelAnswers.length = 0
    const canceling = buys.flatMap((buy) => [buy.cancel(), buy.cancel()])
    await Promise.all([...canceling, follow(), follow()])
    clock.advance(2 * SECOND)
    await follow()
    for (const buy of buys) {
      assert.deepEqual(await buy.statuses(), ['canceled'])
      assert.deepEqual([await buy.balance(), await buy.escrow()], [50_000n, 0n])
    }
    assert.deepEqual(cases, [])
  })

  it('without a turn in time is canceled by the worker, and the answer says that it is under way', async () => {
    const buy = await givenPlaced(3)
    const noTurn = { kind: 'not-sent', detail: 'no turn within the call budget' } as const
    supplier.cancelAnswers.push({ kind: 'canceled' }, noTurn, noTurn)
    const outcomes = await buy.cancel()
    assert.deepEqual(outcomes.map(({ reason }) => reason).sort(), [
      'TRADE_CANCEL_PENDING',
      'TRADE_CANCEL_PENDING',
      null,
    ])
    supplier.cancelAnswers.push(noTurn)
    await finish()
    assert.deepEqual((await buy.statuses()).sort(), ['canceled', 'canceled', 'pending'])
    assert.equal(supplier.cancels.length, 5)
    await finish()
    assert.equal(supplier.cancels.length, 5, 'not before its time')
    clock.advance(supplier.traits.pollMs)
    await finish()
    assert.deepEqual(await buy.statuses(), ['canceled', 'canceled', 'canceled'])
    assert.deepEqual([await buy.balance(), await buy.escrow()], [50_000n, 0n])
    clock.advance(HOUR)
    await finish()
    assert.equal(supplier.cancels.length, 6, 'what is settled is not asked for again')
    assert.deepEqual(cases, [])
  })

  it('that its supplier refused in the end, or that moved on meanwhile, is not asked for again', async () => {
    const buy = await givenPlaced(2)
    const noTurn = { kind: 'not-sent', detail: 'no turn within the call budget' } as const
    supplier.cancelAnswers.push(noTurn, noTurn)
    await buy.cancel()
    supplier.orders.set(buy.itemIds[1] as string, orderUpdate('active', { offerId: '9' }))
    clock.advance(supplier.traits.offerPollMs)
    await follow()
    supplier.cancelAnswers.push({ kind: 'refused', because: 'other', detail: 'no' })
    await finish()
    assert.equal(supplier.cancels.length, 3)
    clock.advance(HOUR)
    await finish()
    assert.equal(supplier.cancels.length, 3)
    assert.deepEqual(await buy.statuses(), ['pending', 'active'])
  })

  it('is finished by the worker when the process that asked for it died before its call', async () => {
    const buy = await givenPlaced(1)
    const { promise, resolve } = Promise.withResolvers<CancelAnswer>()
    supplier.cancelAnswers.push(promise)
    const dying = buy.cancel()
    while (supplier.cancels.length === 0) await new Promise((turn) => setImmediate(turn))
    await finish()
    assert.equal(supplier.cancels.length, 1, 'not while the call may be under way')
    clock.advance(HOUR)
    await finish()
    assert.deepEqual(await buy.statuses(), ['canceled'])
    resolve({ kind: 'canceled' })
    assert.equal((await dying)[0]?.canceled, true)
    assert.deepEqual(cases, [])
  })

  it('goes round by tenant when the worker finishes many: one with ten delays another’s by one turn', async () => {
    const [greedy, other] = [await givenPlaced(10), await givenPlaced()]
    await scheduleCancels(database.db, greedy.itemIds, clock.now())
    clock.advance(SECOND)
    await scheduleCancels(database.db, other.itemIds, clock.now())
    await finish()
    assert.deepEqual(await other.statuses(), ['canceled'])
    const canceled = (await greedy.statuses()).filter((status) => status === 'canceled')
    assert.equal(canceled.length, 7)
  })

  it('without a turn in time is not asked for by the request', async () => {
    const buy = await givenPlaced(6)
    const impatient = createCancelBuy({
      db: database.db,
      clock,
      marketOf: () => supplier,
      patienceMs: 10 * SECOND,
      concurrency: 1,
      onCase: () => {},
    })
    const { promise, resolve } = Promise.withResolvers<CancelAnswer>()
    supplier.cancelAnswers.push(promise)
    const canceling = impatient({ tradeId: buy.tradeId, item: null }, { requestId: newId() })
    while (supplier.cancels.length === 0) await new Promise((turn) => setImmediate(turn))
    clock.advance(11 * SECOND)
    resolve({ kind: 'canceled' })
    const outcomes = await canceling
    assert.deepEqual(
      outcomes.map(({ canceled }) => canceled),
      [true, false, false, false, false, false],
    )
    assert.equal(supplier.cancels.length, 1)
  })
})
