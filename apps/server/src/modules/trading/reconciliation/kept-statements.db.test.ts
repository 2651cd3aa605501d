// Statements of a history that comes fifty rows at a time, the newest first, and grows while it is read.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { silentLog } from '#infra/process/log'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { mills } from '#kernel/money'
import { createKeepPages } from './kept-statements.ts'
import type { OrderLine, StatementPages } from './ports.ts'
import { pruneLines } from './store/statement-lines.ts'

const PAGE = 50
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const SETTLE_MS = 15 * MINUTE

interface Order extends Omit<OrderLine, 'detail'> {
  readonly placedAt: Date
  isHidden?: boolean
}

let database: TestDatabase
let clock: ManualClock
/** Oldest first. */
let orders: Order[] = []
let pagesRead = 0
let looked: string[] = []
let alarms: object[] = []
let forgets: ReadonlySet<string> = new Set()
let unreadable: ReadonlySet<string> = new Set()
/** Before which page the market is away. */
let awayAt = Number.POSITIVE_INFINITY
let whilePaging = (): void => {}

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  clock = manualClock(new Date('2026-11-28T12:00:00.000Z'))
  orders = []
  alarms = []
  forgets = new Set()
  unreadable = new Set()
  awayAt = Number.POSITIVE_INFINITY
  whilePaging = () => {}
  for (const table of ['statement_line', 'statement_run']) {
    await database.db.query(sql(`test.empty_${table}`, `delete from reconciliation.${table}`))
  }
})

const buyAt = (placedAt: Date, overrides: Partial<Order> = {}): Order => {
  const orderId = String(1000 + orders.length)
  const order: Order = {
    ...{ orderId, customId: `c-${orderId}`, paidMills: mills(5n), state: 'open' },
    ...{ returnedMills: null, placedAt, ...overrides },
  }
  orders.push(order)
  return order
}
/** So many, evenly, the last one now. */
const buyOver = (count: number, lengthMs: number, overrides: Partial<Order> = {}): void => {
  const startMs = clock.now().getTime() - lengthMs
  for (let i = 1; i <= count; i++) {
    buyAt(new Date(startMs + Math.floor((lengthMs * i) / count)), overrides)
  }
}
const change = (orderId: string, overrides: Partial<Order>): void => {
  orders = orders.map((order) => (order.orderId === orderId ? { ...order, ...overrides } : order))
}

const pages: StatementPages = {
  id: 'market_b',
  account: 'main',
  traits: { settleMs: SETTLE_MS, keptOnUserReversalBps: null },
  page: async (skip) => {
    pagesRead++
    if (pagesRead >= awayAt) return { kind: 'unavailable', detail: 'away' }
    const rows: (Order | null)[] = []
    let left = skip
    for (let at = orders.length - 1; at >= 0 && rows.length < PAGE; at--) {
      const order = orders[at] as Order
      if (order.isHidden) continue
      if (left-- <= 0) rows.push(unreadable.has(order.orderId) ? null : order)
    }
    whilePaging()
    return { kind: 'read', rows }
  },
  lookUp: async (orderIds) => {
    looked.push(...orderIds)
    const wanted = new Set(orderIds)
    const known = orders.filter(({ orderId }) => wanted.has(orderId) && !forgets.has(orderId))
    return { kind: 'read', lines: known.map((order) => ({ ...order, detail: '' })) }
  },
}

async function read(lengthMs: number) {
  pagesRead = 0
  looked = []
  const log = { ...silentLog, error: (overrides: object) => void alarms.push(overrides) }
  const { read: readKept } = createKeepPages({ db: database.db, clock, log })(pages)
  return readKept(new Date(clock.now().getTime() - lengthMs), { requestId: 'r' })
}
async function readWell(lengthMs: number) {
  const answer = await read(lengthMs)
  assert.ok(answer.kind === 'read')
  return answer
}

describe('a statement over kept lines', () => {
  it('has every order of its window, with our ids, and no other', async () => {
    buyOver(230, DAY)
    const { lines, isWhole } = await readWell(2 * DAY)
    assert.deepEqual([lines.length, isWhole], [230, true])
    assert.ok(lines.every(({ orderId, customId }) => customId === `c-${orderId}`))
    const recent = await readWell(2 * HOUR)
    const from = clock.now().getTime() - 2 * HOUR
    const expected = orders.filter(({ placedAt }) => placedAt.getTime() >= from)
    assert.deepEqual([recent.lines.length, recent.isWhole], [expected.length, true])
  })

  it('of no order at all is whole', async () => {
    assert.deepEqual(await readWell(DAY), { kind: 'read', lines: [], isWhole: true })
  })

  it('reads until a page overlaps with what is kept, and looks up what is not final', async () => {
    buyOver(1000, 9 * DAY, { state: 'completed' })
    await readWell(9 * DAY)
    clock.advance(HOUR)
    await readWell(9 * DAY)
    clock.advance(HOUR)
    buyOver(60, HOUR)
    const { lines, isWhole } = await readWell(8 * DAY)
    assert.equal(isWhole, true)
    assert.equal(lines.filter(({ state }) => state === 'open').length, 60)
    assert.ok(pagesRead <= 3, `${pagesRead} pages`)
    assert.equal(looked.length, 60)
  })

  it('of 60,000 orders comes to be whole, and costs a page or two from then on', async () => {
    buyOver(60_000, 9 * DAY, { state: 'completed' })
    let reads = 0
    for (let isWhole = false; !isWhole; reads++) {
      assert.ok(reads < 10, 'it goes on from where it was')
      isWhole = (await readWell(9 * DAY - HOUR)).isWhole
      assert.ok(pagesRead <= 200)
    }
    assert.ok(reads >= 6)
    const { lines } = await readWell(9 * DAY - HOUR)
    assert.equal(new Set(lines.map(({ orderId }) => orderId)).size, lines.length)
    assert.ok(lines.length > 59_000)
    assert.ok(pagesRead <= 10, `${pagesRead} pages`)
    assert.deepEqual(alarms, [])
  })

  it('of the last hours is whole long before that of all days', async () => {
    buyOver(30_000, 9 * DAY, { state: 'completed' })
    assert.equal((await readWell(2 * HOUR)).isWhole, true)
    assert.ok(pagesRead < 10)
  })

  it('lacks none that is bought while its pages are read', async () => {
    buyOver(320, DAY)
    whilePaging = () => {
      for (let i = 0; i < 7; i++) buyAt(clock.now())
    }
    await readWell(2 * DAY)
    whilePaging = () => {}
    const { lines, isWhole } = await readWell(2 * DAY)
    assert.deepEqual([lines.length, isWhole], [orders.length, true])
  })

  it('has an order that the market showed late, however many came after it', async () => {
    buyOver(100, DAY)
    const late = buyAt(clock.now(), { isHidden: true })
    await readWell(2 * DAY)
    clock.advance(10 * MINUTE)
    buyOver(200, 9 * MINUTE)
    await readWell(2 * DAY)
    change(late.orderId, { isHidden: false })
    clock.advance(4 * MINUTE)
    const { lines } = await readWell(2 * DAY)
    assert.ok(lines.some(({ orderId }) => orderId === late.orderId))
  })
})

describe('a statement that says that it is not whole', () => {
  it('has met nothing that is kept for 200 pages: an alarm, and it goes on from there', async () => {
    buyOver(500, DAY, { state: 'completed' })
    assert.equal((await readWell(DAY)).isWhole, true)
    clock.advance(2 * DAY)
    buyOver(10_400, DAY, { state: 'completed' })
    assert.equal((await readWell(2 * DAY)).isWhole, false)
    assert.equal(alarms.length, 1)
    assert.equal((await readWell(2 * DAY)).isWhole, true)
    // The last one of before was bought at the first moment of the window.
    assert.deepEqual([alarms.length, (await readWell(2 * DAY)).lines.length], [1, 10_401])
  })

  it('has a row that cannot be understood, until its window has left it behind', async () => {
    buyOver(200, 10 * HOUR)
    unreadable = new Set(['1100'])
    assert.equal((await readWell(20 * HOUR)).isWhole, false)
    assert.equal((await readWell(2 * HOUR)).isWhole, true)
    clock.advance(6 * HOUR)
    buyOver(100, HOUR)
    assert.equal((await readWell(20 * HOUR)).isWhole, false)
    assert.equal((await readWell(10 * HOUR)).isWhole, true)
  })

  it('lacks an order that cannot be looked up, and has it as soon as it can', async () => {
    buyOver(3, HOUR)
    forgets = new Set(['1001'])
    const first = await readWell(DAY)
    assert.deepEqual([first.lines.length, first.isWhole], [2, false])
    forgets = new Set()
    const next = await readWell(DAY)
    assert.deepEqual([next.lines.length, next.isWhole], [3, true])
  })

  it('was cut off by a market that went away, and keeps no hole of it', async () => {
    buyOver(400, 2 * DAY)
    await readWell(2 * DAY)
    clock.advance(DAY)
    buyOver(400, DAY)
    awayAt = 3
    assert.equal((await read(3 * DAY)).kind, 'unavailable')
    awayAt = Number.POSITIVE_INFINITY
    const { lines, isWhole } = await readWell(3 * DAY + HOUR)
    assert.deepEqual([lines.length, isWhole], [800, true])
  })
})

describe('a line', () => {
  it('follows its order to its end, and is not asked for once that is settled', async () => {
    const { orderId } = buyAt(clock.now())
    const line = async () => (await readWell(DAY)).lines[0]
    assert.equal((await line())?.state, 'open')
    change(orderId, { state: 'held' })
    assert.equal((await line())?.state, 'held')
    change(orderId, { state: 'ended', returnedMills: mills(5n) })
    assert.equal((await line())?.returnedMills, 5n)
    // What was kept may be shown a moment after the end.
    clock.advance(MINUTE)
    change(orderId, { returnedMills: mills(3n) })
    assert.equal((await line())?.returnedMills, 3n)
    clock.advance(SETTLE_MS)
    await line()
    clock.advance(MINUTE)
    assert.equal((await line())?.returnedMills, 3n)
    assert.deepEqual(looked, [])
  })

  it('is forgotten with its month', async () => {
    buyOver(10, HOUR)
    await readWell(DAY)
    await pruneLines(database.db, clock.now())
    const left = sql('test.lines', 'select order_id from reconciliation.statement_line')
    assert.equal((await database.db.query(left)).length, 1, 'the last one was bought now')
  })
})
