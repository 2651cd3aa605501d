import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Db, sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { type ManualClock, manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import type { StatementMovement } from './ports.ts'
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
  clock = manualClock(new Date(Date.UTC(2026, 0, 1) + nextDay++ * 24 * 5 * HOUR_MS))
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
    a.gateway.extraLines.push({ kind: 'payment', orderId: null, providerOrderId: newId(), ...line })
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

  describe('whose lines name their order only', () => {
    beforeEach(() => {
      a.gateway.showLine = (line) => ({ ...line, ref: null })
    })
    /** Of 10.00 USD, in two parts. */
    const paidInParts = async () => {
      const { id } = await a.given(await a.depositor(), 10_00n)
      a.gateway.pay(id, '3.333333', { state: 'part_paid' })
      a.gateway.pay(id, '6.666667', { state: 'paid' })
      await a.follow()
      return id
    }
    const prepayIdOf = (id: string) => a.gateway.orders.get(id)?.prepayId ?? assert.fail()

    it('agrees when they make the sum of what was credited, together or one by one', async () => {
      const whole = await paidInParts()
      const named = await paidInParts()
      a.gateway.showLine = (line) => {
        if (line.orderId !== whole)
          return line.amountToken === '3.333333' ? line : { ...line, ref: null }
        return { ...line, ref: null, orderId: null }
      }
      await compare()
      assert.deepEqual(problems(await compare()), [])
      assert.equal((await a.find(named)).status, 'completed')
    })

    it('agrees when twenty thousand of them are of one deposit, and differs when as many name no deposit', async () => {
      const { id } = await a.given(await a.depositor(), 500_00n)
      a.gateway.pay(id, '500', { state: 'paid' })
      await a.follow()
      const line = { kind: 'payment', currency: 'USDT', at: clock.now() } as const
      const own = { ...line, ref: null, orderId: id, providerOrderId: prepayIdOf(id) }
      a.gateway.showLine = (shown) => ({ ...shown, ref: null, amountToken: '0.025' })
      for (let more = 1; more < 20_000; more += 1) {
        a.gateway.extraLines.push({ ...own, amountToken: '0.025' })
      }
      assert.equal((await compare()).lines, 20_000)
      assert.deepEqual(problems(await compare()), [])
      a.gateway.extraLines.push(
        ...a.gateway.extraLines.map((one) => ({ ...one, orderId: null, providerOrderId: 'x' })),
      )
      await compare()
      assert.deepEqual(problems(await compare()), [['missing in books', null]])
    })

    it('differs when they make more: the order is looked at, and agrees with what was missed', async () => {
      const id = await paidInParts()
      await compare()
      const at = clock.now()
      const more = { amountToken: '5', currency: 'USDT', at, ref: newId(), orderId: id }
      a.gateway.extraLines.push({ kind: 'payment', providerOrderId: prepayIdOf(id), ...more })
      await compare()
      assert.deepEqual(problems(await compare()), [['missing in books', id]])
      a.gateway.extraLines.length = 0
      a.gateway.pay(id, '5', { state: 'paid', paidAt: at })
      await a.followDue()
      const { confirmed, gone } = await compare()
      assert.deepEqual([confirmed, gone], [[], [prepayIdOf(id)]])
    })

    it('differs when they make less, unless the order began before the statement', async () => {
      const id = await paidInParts()
      const cut = (line: StatementMovement) => ({ ...line, ref: null, amountToken: '3' })
      a.gateway.showLine = cut
      await compare()
      assert.deepEqual(problems(await compare()), [['amount differs', id]])
      a.gateway.showLine = (line) => ({ ...line, ref: null })
      assert.deepEqual(problems(await compare()), [])
      // Days later only the last of its payments is in the window.
      clock.advance(48 * HOUR_MS)
      a.gateway.pay(id, '2', { state: 'paid' })
      await a.followDue()
      assert.deepEqual(problems(await compare()), [])
    })

    it('compares a refund in another coin by being there alone', async () => {
      const id = await paidInParts()
      a.gateway.refund(id, '4')
      await a.follow()
      const line = { orderId: id, providerOrderId: prepayIdOf(id), at: clock.now() }
      const refund = { kind: 'refund', ref: null, ...line } as const
      a.gateway.extraLines.push({ ...refund, amountToken: '0.001', currency: 'BTC' })
      await compare()
      assert.deepEqual(problems(await compare()), [])
      a.gateway.extraLines.length = 0
      a.gateway.extraLines.push({ ...refund, amountToken: '4.5', currency: 'USDT' })
      await compare()
      assert.deepEqual(problems(await compare()), [['missing in books', id]])
    })

    it('is no difference while a payment of the order is held back', async () => {
      const held = await a.given(await a.depositor())
      a.gateway.pay(held.id, '200000', { state: 'paid' })
      await a.follow()
      await compare()
      assert.deepEqual(problems(await compare()), [])
    })
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
