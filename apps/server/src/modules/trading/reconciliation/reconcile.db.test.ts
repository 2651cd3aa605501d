import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { createFollowing, createPlacing } from '#buying'
import { sql } from '#infra/database/db'
import { type Log, silentLog } from '#infra/process/log'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { mills } from '#kernel/money'
import { givenTrade } from '../buying/testing/buyers.ts'
import { orderUpdate, type ScriptedSupplier, scriptedSupplier } from '../buying/testing/supplier.ts'
import type { StatementAnswer, StatementLine, Statements } from './ports.ts'
import { type AbsentOrders, type Reconciled, reconcile } from './reconcile.ts'
import { createReporter } from './report.ts'
import { listCases } from './store/cases.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SETTLE_MS = 15 * MINUTE

let database: TestDatabase
let clock: ManualClock
let supplier: ScriptedSupplier
let lines: Map<string, StatementLine>
let balance: bigint
let statementIs: 'whole' | 'cut' | 'away'
let absent: AbsentOrders
let errors: Readonly<Record<string, unknown>>[]
/** What happens at the supplier between the first statement of a look and the second. */
let meanwhile: () => void

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(() => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'))
  supplier = scriptedSupplier()
  supplier.balance = async () => ({ mills: mills(balance) })
  lines = new Map()
  balance = 1_000_000n
  statementIs = 'whole'
  absent = new Map()
  errors = []
  meanwhile = () => {}
})
afterEach(async () => {
  const { db } = database
  await db.query(sql('test.forget_baselines', 'delete from reconciliation.baseline'))
  await db.query(sql('test.forget_entries', 'delete from reconciliation.case_entry'))
  await db.query(sql('test.forget_cases', 'delete from reconciliation.case_file'))
  // Orders of this test are none of the next one's.
  await db.query(sql('test.age_orders', `update buying.supplier_order set sent_at = '2020-01-01'`))
  await db.query(
    sql(
      'test.put_aside',
      `update buying.item set due_at = 'infinity', created_at = 'infinity' where work <> 'none'`,
    ),
  )
})

const statements: Statements = {
  id: 'market_b',
  account: 'main',
  traits: { settleMs: SETTLE_MS, keptOnUserReversalBps: 3000 },
  read: async (from): Promise<StatementAnswer> => {
    if (statementIs === 'away') return { kind: 'unavailable', detail: 'away' }
    const shown = [...lines.values()].filter(({ placedAt }) => placedAt >= from)
    meanwhile()
    return { kind: 'read', lines: shown, isWhole: statementIs === 'whole' }
  },
}

const log: Log = { ...silentLog, error: (details) => void errors.push({ ...details }) }

async function look(): Promise<Extract<Reconciled, { kind: 'read' }>> {
  const { db } = database
  const onOpened = (): void => {}
  const result = await reconcile(
    {
      db,
      clock,
      log,
      market: supplier,
      statements,
      reportStatement: createReporter({ db, clock, source: 'statement', onOpened }),
      reportBalance: createReporter({ db, clock, source: 'balance', onOpened }),
      absent,
    },
    { scope: 'recent', lengthMs: 2 * HOUR },
  )
  assert.ok(result.kind === 'read')
  return result
}

const openCases = () => listCases(database.db, { state: 'open', kind: null, limit: 100 })
const kindsOpen = async (): Promise<string[]> => (await openCases()).map(({ kind }) => kind).sort()

let orderIds = 100
/** An item bought, placed and known to the supplier, who charged its price. */
async function givenOrder() {
  const { db } = database
  const orderId = String(++orderIds)
  supplier.answers.push({ kind: 'accepted', orderId, paidMills: mills(10_000n) })
  const { itemId } = await givenTrade({ db, clock })
  await createPlacing({
    db,
    clock,
    market: supplier,
    isMarketAvailable: async () => true,
    holdMs: 7 * 24 * HOUR,
    leaseMs: 30_000,
    giveUpMs: 15 * MINUTE,
    concurrency: 1,
    onCase: () => {},
  })(new AbortController().signal)
  const placedAt = clock.now()
  balance -= 10_000n
  const report = (overrides: Partial<StatementLine> = {}): void => {
    lines.set(orderId, {
      orderId,
      customId: itemId,
      placedAt,
      paidMills: mills(10_000n),
      state: 'open',
      returnedMills: null,
      detail: '',
      ...overrides,
    })
  }
  report()
  return {
    itemId,
    orderId,
    report,
    /** Delivered, and not to be looked at for hours. */
    holds: async (): Promise<void> => {
      supplier.orders.set(
        itemId,
        orderUpdate('hold', { orderId, paidMills: mills(10_000n), offerId: '5' }),
      )
      clock.advance(MINUTE)
      await createFollowing({
        db,
        clock,
        market: supplier,
        holdMs: 24 * HOUR,
        leaseMs: 30_000,
        holdPollMs: 6 * HOUR,
        onCase: () => {},
      })()
    },
    /** The supplier gave up, we saw it, and it says that it paid back. */
    fails: async (): Promise<void> => {
      supplier.orders.set(
        itemId,
        orderUpdate('failed', { orderId, paidMills: mills(10_000n), failure: 'PURCHASE_FAILED' }),
      )
      report({ state: 'ended', returnedMills: mills(10_000n) })
      clock.advance(MINUTE)
      await createFollowing({
        db,
        clock,
        market: supplier,
        holdMs: HOUR,
        leaseMs: 30_000,
        holdPollMs: MINUTE,
        onCase: () => {},
      })()
    },
  }
}

describe('reconciling with a supplier that agrees', () => {
  it('opens no case, and knows the baseline of our account', async () => {
    await givenOrder()
    const ended = await givenOrder()
    assert.equal((await look()).baseline, 'first')
    await ended.fails()
    balance += 10_000n
    clock.advance(SETTLE_MS)
    const seen = { kind: 'read', lines: 2, findings: 0, isWhole: true, baseline: 'same' }
    assert.deepEqual(await look(), seen)
    statementIs = 'cut'
    assert.deepEqual(await look(), { ...seen, isWhole: false, baseline: 'unsteady' })
    assert.deepEqual(await kindsOpen(), [])
  })
})

describe('an order that the statement does not list', () => {
  it('is missing when look-ups of two comparisons do not know it either, and cleared when it is back', async () => {
    const { itemId, orderId, report } = await givenOrder()
    lines.clear()
    clock.advance(SETTLE_MS)
    supplier.orders.clear()
    await look()
    assert.deepEqual(await openCases(), [], 'a market that hides its orders for a moment')
    await look()
    const [found] = await openCases()
    assert.deepEqual([found?.kind, found?.itemId], ['missing', itemId])
    assert.deepEqual(found?.details, { itemId, market: 'market_b', orderId })
    report()
    await look()
    assert.notEqual((await openCases())[0]?.clearedAt, null)
  })

  it('and was missing is cleared by a look-up where statements are cut before it', async () => {
    const { itemId } = await givenOrder()
    lines.clear()
    clock.advance(SETTLE_MS)
    supplier.orders.clear()
    await look()
    await look()
    assert.deepEqual(await kindsOpen(), ['missing'])
    statementIs = 'cut'
    await look()
    assert.equal((await openCases())[0]?.clearedAt, null)
    supplier.orders.set(itemId, orderUpdate('pending'))
    await look()
    assert.notEqual((await openCases())[0]?.clearedAt, null)
  })

  it('and that a look-up knows is not missing', async () => {
    const { itemId } = await givenOrder()
    lines.clear()
    clock.advance(SETTLE_MS)
    supplier.orders.set(itemId, orderUpdate('pending'))
    assert.equal((await look()).findings, 0)
    supplier.online = false
    assert.equal((await look()).findings, 0)
    statementIs = 'cut'
    supplier.online = true
    supplier.orders.clear()
    assert.equal((await look()).findings, 0)
  })
})

describe('a contradiction', () => {
  it('is opened once, however often it is seen, and cleared when it ends', async () => {
    const { report } = await givenOrder()
    report({ paidMills: mills(11_000n) })
    await look()
    await look()
    const [found] = await openCases()
    assert.deepEqual([found?.kind, found?.sightings], ['price_differs', 2])
    report()
    await look()
    assert.notEqual((await openCases())[0]?.clearedAt, null)
  })

  it('of a foreign purchase with our key is an unmatched purchase of the order, cleared when it ends', async () => {
    const foreign: StatementLine = {
      orderId: '999',
      customId: 'not-ours',
      placedAt: clock.now(),
      paidMills: mills(500n),
      state: 'open',
      returnedMills: null,
      detail: '',
    }
    lines.set('999', foreign)
    await look()
    const [found] = await openCases()
    assert.deepEqual([found?.kind, found?.subject], ['orphan_purchase', 'order:market_b:999'])
    lines.set('999', { ...foreign, state: 'ended', returnedMills: mills(500n) })
    await look()
    assert.notEqual((await openCases())[0]?.clearedAt, null)
  })

  it('that lists an item in its hold as ended has its order looked up at once', async () => {
    const { db } = database
    const { itemId, holds, report } = await givenOrder()
    await holds()
    const dueInMs = async (): Promise<number> => {
      const [row] = await db.query<{ due: Date }>(
        sql('test.due_of_item', 'select due_at due from buying.item where id = $1'),
        [itemId],
      )
      return (row?.due.getTime() ?? 0) - clock.now().getTime()
    }
    report({ state: 'held' })
    await look()
    assert.ok((await dueInMs()) > HOUR)
    report({ state: 'ended', returnedMills: mills(10_000n) })
    await look()
    assert.equal(await dueInMs(), 0)
  })

  it('between what ended here and what is delivered there is late', async () => {
    const { fails, report } = await givenOrder()
    await fails()
    report({ state: 'held' })
    await look()
    assert.deepEqual(await kindsOpen(), [], 'not before it had time to settle')
    clock.advance(SETTLE_MS)
    await look()
    assert.deepEqual(await kindsOpen(), ['late_contradiction'])
  })
})

describe('the baseline of our account', () => {
  it('that falls by one order’s refund accuses that order', async () => {
    const { itemId, fails } = await givenOrder()
    await givenOrder()
    await look()
    await fails()
    assert.equal((await look()).baseline, 'waits')
    clock.advance(SETTLE_MS)
    assert.equal((await look()).baseline, 'fell')
    const [found] = await openCases()
    assert.deepEqual(
      [found?.kind, found?.itemId, found?.source, found?.details.missingMills],
      ['refund_not_received', itemId, 'balance', '10000'],
    )
    assert.equal((await look()).baseline, 'same', 'and is not reported again')
  })

  it('that falls by anything else names no order', async () => {
    await givenOrder()
    await look()
    balance -= 777n
    await look()
    clock.advance(SETTLE_MS)
    assert.equal((await look()).baseline, 'fell')
    const [found] = await openCases()
    assert.deepEqual(
      [found?.kind, found?.subject, found?.details.missingMills],
      ['balance_differs', 'market:market_b', '777'],
    )
  })

  it('that rises is money that we paid in', async () => {
    await look()
    balance += 5_000_000n
    await look()
    clock.advance(SETTLE_MS)
    assert.equal((await look()).baseline, 'rose')
    assert.deepEqual(await kindsOpen(), [])
  })

  it('is judged while orders come in and end without a pause', async () => {
    let next = 0
    /** One more order of 40 dollars is paid, and the one before it comes back. */
    const goOn = (): void => {
      const before = lines.get(`s${next}`)
      if (before) {
        lines.set(before.orderId, { ...before, state: 'ended', returnedMills: before.paidMills })
        balance += 40_000n
      }
      next += 1
      balance -= 40_000n
      lines.set(`s${next}`, {
        ...{ orderId: `s${next}`, customId: null, placedAt: clock.now(), detail: '' },
        ...{ paidMills: mills(40_000n), state: 'open', returnedMills: null },
      })
    }
    meanwhile = goOn
    await look()
    for (let round = 0; round < 3; round++) {
      clock.advance(MINUTE)
      assert.equal((await look()).baseline, 'same')
    }
    // More than one order explains.
    balance -= 90_000n
    assert.equal((await look()).baseline, 'waits')
    clock.advance(SETTLE_MS)
    assert.equal((await look()).baseline, 'fell')
    const [found] = (await openCases()).filter(({ kind }) => kind === 'balance_differs')
    assert.ok(found)
    const { missingMills } = found.details as { missingMills: string }
    assert.ok(BigInt(missingMills) > 0n && BigInt(missingMills) <= 90_000n, missingMills)
    clock.advance(MINUTE)
    assert.equal((await look()).baseline, 'same')
  })

  it('is not read from a statement that lacks an order of ours', async () => {
    await givenOrder()
    await look()
    lines.clear()
    supplier.orders.clear()
    assert.equal((await look()).baseline, 'unsteady')
  })

  it('keeps its word while its window moves on', async () => {
    await look()
    for (let hour = 0; hour < 6; hour++) {
      await givenOrder()
      clock.advance(30 * MINUTE)
      assert.equal((await look()).baseline, 'same', `after ${hour} half hours`)
    }
    balance -= 5n
    await look()
    clock.advance(SETTLE_MS)
    assert.equal((await look()).baseline, 'fell')
  })
})

it('a finding that cannot be kept keeps no other back, and is logged with its details', async () => {
  const { report } = await givenOrder()
  for (const [orderId, customId] of [
    ['901', 'half of a pair: \ud800'],
    ['902', 'foreign'],
  ] as const) {
    lines.set(orderId, {
      ...{ orderId, customId, placedAt: clock.now(), paidMills: mills(5n), state: 'open' },
      ...{ returnedMills: null, detail: '' },
    })
  }
  report({ paidMills: mills(20_000n) })
  assert.equal((await look()).findings, 3)
  assert.deepEqual(await kindsOpen(), ['orphan_purchase', 'price_differs'])
  assert.deepEqual(
    errors.map(({ what, orderId }) => [what, orderId]),
    [['orphan_purchase', '901']],
  )
})

it('a supplier that is away proves nothing', async () => {
  await givenOrder()
  statementIs = 'away'
  const { db } = database
  const report = createReporter({ db, clock, source: 'statement', onOpened: () => {} })
  const deps = {
    db,
    clock,
    log,
    market: supplier,
    statements,
    reportStatement: report,
    reportBalance: report,
    absent,
  }
  const result = await reconcile(deps, { scope: 'recent', lengthMs: HOUR })
  assert.equal(result.kind, 'unavailable')
  assert.deepEqual(await kindsOpen(), [])
})
