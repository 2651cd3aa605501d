import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Db, sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { type ManualClock, manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { compareStatement } from './statements.ts'
import { explainDifference } from './store/statements.ts'
import { context, forgetOrders, givenDeposits } from './testing/depositors.ts'

let test: TestDatabase
let db: Db
let clock: ManualClock
let a: ReturnType<typeof givenDeposits>
const HOUR_MS = 3_600_000

before(async () => {
  test = await testDatabase()
  db = test.db
})
after(() => test.close())

const RESET = sql(
  'test.reset_statements',
  'with c as (delete from deposits.statement_check) delete from deposits.statement_difference',
)
beforeEach(async () => {
  await forgetOrders(db)
  await db.query(RESET)
  // Each test has hours of its own, so that none sees the credits of another.
  clock = manualClock(new Date(Date.UTC(2026, 0, 1) + nextDay++ * 24 * 3 * HOUR_MS))
  a = givenDeposits(db, clock)
})
let nextDay = 0

const compare = async (afterMs = HOUR_MS) => {
  clock.advance(afterMs)
  const compared = await compareStatement(a.deps, 'gateway', context)
  if (compared.kind !== 'compared') return assert.fail(compared.detail)
  return compared
}
const problems = ({ confirmed }: Awaited<ReturnType<typeof compare>>) =>
  confirmed.map(({ problem, depositId }) => [problem, depositId])

const paid = async () => {
  const { id } = await a.given(await a.depositor())
  a.gateway.pay(id, '100', { state: 'paid' })
  await a.follow()
  return id
}

describe('a provider’s statement', () => {
  it('that lists what was credited, in parts too, is no difference', async () => {
    await paid()
    const { id } = await a.given(await a.depositor(), 10_00n)
    a.gateway.pay(id, '3.333333', { state: 'part_paid' })
    a.gateway.pay(id, '6.666667', { state: 'paid' })
    await a.follow()
    assert.equal((await compare()).lines, 3)
    assert.deepEqual(problems(await compare()), [])
  })

  it('with a payment that we have missed makes its order due; the next one agrees', async () => {
    const { id } = await a.given(await a.depositor())
    await a.cancel((await a.find(id)).accountId, id, context)
    a.gateway.pay(id, '100', { state: 'paid' })
    assert.deepEqual((await compare()).confirmed, [])
    await a.followDue()
    assert.equal((await a.find(id)).status, 'completed')
    const { confirmed, gone } = await compare()
    assert.deepEqual([confirmed.length, gone.length], [0, 1])
  })

  it('with a payment that names no deposit of ours is a difference, until it is explained', async () => {
    const ref = newId()
    const line = { ref, currency: 'USDT', amountToken: '7', at: clock.now() }
    a.gateway.extraLines.push({ kind: 'payment', orderId: null, ...line })
    await compare()
    assert.deepEqual(problems(await compare()), [['missing in books', null]])
    const audit = (await a.audit()).map(({ invariant, detail }) => `${invariant}; ${detail}`)
    assert.deepEqual(audit, [
      `a provider's statement agrees with the books; gateway payment ${ref}: missing in books`,
    ])
    const explanation = { provider: 'gateway', ref, by: 'ada', at: clock.now() } as const
    assert.equal(await db.transaction((tx) => explainDifference(tx, explanation)), true)
    assert.deepEqual(problems(await compare()), [])
    assert.deepEqual(await a.audit(), [])
  })

  it('without a payment that was credited, or with another amount or order, is a difference', async () => {
    const [gone, changed, moved] = [await paid(), await paid(), await paid()]
    await compare()
    const other = newId()
    const payments = (id: string) => a.gateway.orders.get(id)?.payments ?? []
    a.gateway.set(gone, { payments: [] })
    a.gateway.set(changed, {
      payments: payments(changed).map((one) => ({ ...one, amountToken: '99.98' })),
    })
    a.gateway.set(moved, { orderId: other })
    assert.deepEqual((await compare()).confirmed, [])
    assert.deepEqual(problems(await compare()).sort(), [
      ['amount differs', changed],
      ['amount differs', moved],
      ['missing at provider', gone],
    ])
    // Found again however old it is, while it is a difference.
    clock.advance(48 * HOUR_MS)
    assert.equal((await compare()).confirmed.length, 3)
  })

  it('with what is held back, or what waits for the rest, is no difference', async () => {
    const held = await a.given(await a.depositor())
    a.gateway.pay(held.id, '200000', { state: 'paid' })
    const waiting = await a.given(await a.depositor())
    a.gateway.pay(waiting.id, '10', { state: 'part_paid' })
    await a.follow()
    await compare(16 * 60_000)
    assert.deepEqual(problems(await compare(60_000)), [])
  })

  it('that cannot be read says nothing, and the next one covers its time', async () => {
    await compare()
    await paid()
    a.gateway.isOnline = false
    clock.advance(30 * HOUR_MS)
    assert.equal((await compareStatement(a.deps, 'gateway', context)).kind, 'unavailable')
    a.gateway.isOnline = true
    assert.equal((await compare()).lines, 1)
  })
})
