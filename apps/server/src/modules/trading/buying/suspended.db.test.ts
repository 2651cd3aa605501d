// Workers that are suspended between a claim, its intent, the call and the answer. Whatever another worker
// concluded meanwhile stands: nothing is sent for it any more, and what was sent is reported.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { mills } from '#kernel/money'
import { auditTrades, readTrades, type TradeItem } from '#trades'
import { createFollowing } from './follow.ts'
import { createPlacing, type PlacingDeps } from './place.ts'
import type { PurchaseAnswer } from './ports.ts'
import { endUnplaced } from './store/cancel.ts'
import { expediteItems } from './store/holds.ts'
import { auditBuys } from './store/orders.ts'
import { balanceOf, givenTrade } from './testing/buyers.ts'
import { orderUpdate, type ScriptedSupplier, scriptedSupplier } from './testing/supplier.ts'
import { createUnmatchedWatch } from './unmatched-purchase.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const LEASE_MS = 30 * SECOND

let database: TestDatabase
let clock: ManualClock
let supplier: ScriptedSupplier
let cases: { what: string; details: Readonly<Record<string, unknown>> }[]

before(async () => {
  database = await testDatabase()
})
after(async () => {
  assert.deepEqual(await auditTrades(database.db), [])
  assert.deepEqual(await auditBuys(database.db), [])
  await database.close()
})
beforeEach(async () => {
  clock = manualClock(new Date('2026-09-26T10:00:00Z'))
  supplier = scriptedSupplier()
  cases = []
  await database.db.query(
    sql(
      'test.put_aside',
      `update buying.item set due_at = 'infinity', created_at = 'infinity' where work <> 'none'`,
    ),
  )
})

const shared = () => ({
  db: database.db,
  clock,
  market: supplier,
  holdMs: MINUTE,
  leaseMs: LEASE_MS,
  onCase: (what: string, details: Readonly<Record<string, unknown>>) =>
    void cases.push({ what, details }),
})
const worker = (overrides: Partial<PlacingDeps> = {}) =>
  createPlacing({
    ...shared(),
    isMarketAvailable: async () => true,
    giveUpMs: 15 * MINUTE,
    // While its one purchase is suspended, a worker claims nothing more: what it lost is another's.
    concurrency: 1,
    ...overrides,
  })
const place = (overrides: Partial<PlacingDeps> = {}) =>
  worker(overrides)(new AbortController().signal)
const follow = () => createFollowing({ ...shared(), holdPollMs: MINUTE })()
const watch = () => createUnmatchedWatch({ ...shared(), watchMs: 24 * 60 * MINUTE })()

/** Look-ups prove that there is no order: two of them, the last more than the settle time after the first. */
async function concludeAbsent(): Promise<void> {
  for (const ms of [LEASE_MS + SECOND, 61 * SECOND]) {
    clock.advance(ms)
    await follow()
  }
}

/** A gate at which a worker stands suspended until it is opened. */
function aGate() {
  let open = (): void => {}
  let reach = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const reached = new Promise<void>((resolve) => (reach = resolve))
  const pass = (): Promise<void> => {
    reach()
    return opened
  }
  return { pass, open, reached }
}

async function givenBuy() {
  const { db } = database
  const { tradeId, itemId, buyer } = await givenTrade({ db, clock })
  const item = async (): Promise<TradeItem> => {
    const [trade] = await readTrades(db, [tradeId])
    assert.ok(trade?.items[0])
    return trade.items[0]
  }
  return {
    itemId,
    item,
    status: async () => (await item()).status,
    balance: () => balanceOf(db, buyer.accountId, 'spot'),
  }
}

describe('a worker that is suspended while it waits for its turn', () => {
  it('sends nothing for an item that was failed and refunded meanwhile', async () => {
    const buy = await givenBuy()
    const gate = aGate()
    supplier.beforeTurn = gate.pass
    const suspended = place()
    await gate.reached
    clock.advance(16 * MINUTE)
    await place()
    assert.deepEqual([await buy.status(), await buy.balance()], ['failed', 5000n])
    gate.open()
    await suspended
    assert.equal(supplier.purchases.length, 0, 'the goods would be free')
    assert.deepEqual([await buy.status(), await buy.balance()], ['failed', 5000n])
    assert.deepEqual(cases, [])
  })

  it('leaves the purchase to the worker that has claimed the item since', async () => {
    const buy = await givenBuy()
    const gate = aGate()
    supplier.beforeTurn = gate.pass
    const suspended = place()
    await gate.reached
    delete supplier.beforeTurn
    clock.advance(LEASE_MS + SECOND)
    await place()
    assert.equal(await buy.status(), 'pending')
    gate.open()
    await suspended
    assert.deepEqual(
      supplier.purchases.map(({ customId }) => customId),
      [buy.itemId],
    )
    assert.equal(await buy.status(), 'pending')
  })

  it('and dies there has begun no order: the item is placed by another, not failed', async () => {
    const buy = await givenBuy()
    supplier.beforeTurn = async () => {
      throw new Error('killed')
    }
    await assert.rejects(place(), /killed/)
    delete supplier.beforeTurn
    await concludeAbsent()
    assert.equal(await buy.status(), 'initiated', 'there is nothing to look up')
    await place()
    assert.deepEqual([await buy.status(), supplier.purchases.length], ['pending', 1])
  })
})

describe('a worker that is suspended between its intent and the first byte', () => {
  it('sends nothing, and what others concluded stands', async () => {
    const buy = await givenBuy()
    const gate = aGate()
    supplier.afterTurn = gate.pass
    const suspended = place()
    await gate.reached
    await concludeAbsent()
    assert.deepEqual([await buy.status(), await buy.balance()], ['failed', 5000n])
    gate.open()
    await suspended
    assert.equal(supplier.purchases.length, 0)
    assert.deepEqual([await buy.status(), await buy.balance()], ['failed', 5000n])
    assert.deepEqual(cases, [])
  })

  it('gives the item back to be placed when no worker has concluded anything', async () => {
    const buy = await givenBuy()
    const gate = aGate()
    supplier.afterTurn = gate.pass
    const suspended = place()
    await gate.reached
    clock.advance(LEASE_MS + SECOND)
    await follow()
    gate.open()
    await suspended
    delete supplier.afterTurn
    assert.equal(supplier.purchases.length, 0)
    clock.advance(2 * SECOND)
    await place()
    assert.deepEqual([await buy.status(), supplier.purchases.length], ['pending', 1])
  })
})

describe('an answer that comes late', () => {
  async function givenLateAnswer() {
    const buy = await givenBuy()
    let answer = (_: PurchaseAnswer): void => {}
    supplier.answers.push(new Promise((resolve) => (answer = resolve)))
    const placing = place()
    while (supplier.purchases.length === 0) await new Promise(setImmediate)
    await concludeAbsent()
    assert.deepEqual([await buy.status(), await buy.balance()], ['failed', 5000n])
    return { buy, placing, answer: (said: PurchaseAnswer) => answer(said) }
  }

  it('and accepts an order whose item was refunded is an unmatched purchase, reported at once', async () => {
    const { buy, placing, answer } = await givenLateAnswer()
    answer({ kind: 'accepted', orderId: '77', paidMills: mills(10_000n) })
    await placing
    assert.deepEqual(cases, [
      {
        what: 'orphan_purchase',
        details: { itemId: buy.itemId, market: 'market_b', orderId: '77' },
      },
    ])
    assert.deepEqual([await buy.status(), await buy.balance()], ['failed', 5000n])
    supplier.orders.set(buy.itemId, orderUpdate('pending', { orderId: '77' }))
    await watch()
    await follow()
    assert.equal(cases.length, 1, 'the watch knows of it')
  })

  it('and refuses changes nothing of an item that has ended', async () => {
    const { buy, placing, answer } = await givenLateAnswer()
    answer({ kind: 'refused', code: 'LISTING_UNAVAILABLE', detail: 'gone' })
    await placing
    assert.deepEqual(
      [await buy.status(), (await buy.item()).failure],
      ['failed', 'PURCHASE_FAILED'],
    )
    assert.deepEqual(cases, [])
  })

  it('and accepts an order that a follower has found already is no case', async () => {
    const buy = await givenBuy()
    let answer = (_: PurchaseAnswer): void => {}
    supplier.answers.push(new Promise((resolve) => (answer = resolve)))
    const placing = place()
    while (supplier.purchases.length === 0) await new Promise(setImmediate)
    supplier.orders.set(buy.itemId, orderUpdate('active', { orderId: '77', offerId: '5' }))
    clock.advance(LEASE_MS + SECOND)
    await follow()
    assert.equal(await buy.status(), 'active')
    answer({ kind: 'accepted', orderId: '77', paidMills: mills(10_000n) })
    await placing
    assert.deepEqual([await buy.status(), cases], ['active', []])
  })
})

describe('a worker that is suspended while a look-up is answered', () => {
  /** The supplier reads what it has, and all this happens before the worker sees the answer. */
  function whileAnswered(meanwhile: () => void): void {
    const { lookUp } = supplier
    supplier.lookUp = async (...asked) => {
      supplier.lookUp = lookUp
      const answer = await lookUp(...asked)
      meanwhile()
      return answer
    }
  }

  it('completes nothing by what was asked before the end of the hold', async () => {
    const buy = await givenBuy()
    await place()
    supplier.orders.set(buy.itemId, orderUpdate('hold'))
    clock.advance(2 * SECOND)
    await follow()
    clock.advance(MINUTE - SECOND)
    await expediteItems(database.db, [buy.itemId], clock.now())
    whileAnswered(() => {
      supplier.orders.set(buy.itemId, orderUpdate('reverted', { revertedBy: 'supplier' }))
      clock.advance(2 * SECOND)
    })
    await follow()
    assert.equal(await buy.status(), 'hold')
    await follow()
    assert.deepEqual([await buy.status(), await buy.balance()], ['reverted', 5000n])
    assert.deepEqual(cases, [])
  })

  it('gives up no order by what was asked before the settle time was over', async () => {
    const buy = await givenBuy()
    supplier.answers.push({ kind: 'unknown', detail: 'the connection was cut' })
    await place()
    clock.advance(2 * SECOND)
    await follow()
    clock.advance(2 * SECOND)
    whileAnswered(() => {
      supplier.orders.set(buy.itemId, orderUpdate('pending'))
      clock.advance(61 * SECOND)
    })
    await follow()
    assert.equal(await buy.status(), 'initiated')
    await follow()
    assert.equal(await buy.status(), 'pending')
  })
})

describe('an item that ended without its order', () => {
  it('is watched by whatever path it ended: an order said to be never sent may turn up', async () => {
    const buy = await givenBuy()
    supplier.answers.push({ kind: 'not-sent', detail: 'no connection', retryAfterMs: 60 * MINUTE })
    await place()
    clock.advance(16 * MINUTE)
    await place()
    assert.equal(await buy.status(), 'failed')
    await watch()
    assert.equal(cases.length, 0)
    supplier.orders.set(buy.itemId, orderUpdate('pending'))
    await watch()
    await watch()
    assert.deepEqual(
      cases.map(({ what, details }) => [what, details.itemId]),
      [['orphan_purchase', buy.itemId]],
    )
  })
})

describe('an order that its market has called failed or canceled', () => {
  for (const end of ['failed', 'canceled'] as const) {
    it(`is watched after its item has ended: one that goes on after all is reported at once (${end})`, async () => {
      const buy = await givenBuy()
      await place()
      supplier.orders.set(buy.itemId, orderUpdate(end, { failure: null }))
      clock.advance(2 * SECOND)
      await follow()
      assert.deepEqual([await buy.status(), await buy.balance()], [end, 5000n])
      supplier.orders.set(buy.itemId, orderUpdate('active', { offerId: '5' }))
      await watch()
      assert.equal(cases.length, 0, 'a look at once may show what was before the end')
      supplier.orders.set(buy.itemId, orderUpdate(end))
      clock.advance(61 * SECOND)
      await watch()
      assert.equal(cases.length, 0)
      supplier.orders.set(buy.itemId, orderUpdate('hold', { offerId: '5' }))
      for (let i = 0; i < 2; i++) {
        clock.advance(61 * SECOND)
        await watch()
      }
      assert.deepEqual(
        cases.map(({ what, details }) => [what, details.itemId]),
        [['orphan_purchase', buy.itemId]],
      )
      assert.deepEqual([await buy.status(), await buy.balance()], [end, 5000n])
    })
  }
})

describe('an item whose order was begun', () => {
  it('is neither failed as overdue nor refused by a price check that was suspended', async () => {
    const buy = await givenBuy()
    const gate = aGate()
    const suspended = place({
      checkPrice: async () => {
        await gate.pass()
        return 'too cheap'
      },
    })
    await gate.reached
    clock.advance(LEASE_MS + SECOND)
    await place()
    assert.equal(await buy.status(), 'pending')
    gate.open()
    await suspended
    const end = { to: 'failed', failure: 'MARKET_UNAVAILABLE', detail: 'late' } as const
    const ended = await endUnplaced(database.db, [buy.itemId], end, clock.now())
    assert.deepEqual([ended, await buy.status()], [[], 'pending'])
  })
})
