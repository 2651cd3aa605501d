// Payments, looks, notices, cancels, ends, refunds, outages and crashes in any order and at the same moment.
// When the faults stop, every settled payment is credited once, and the wallet holds what was credited less
// what was taken back.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { type Db, sql, type Tx } from '#infra/database/db'
import { type Attos, formatDecimal } from '#kernel/decimal'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { until } from '../../../infra/testing/until.ts'
import { WAITING } from '../../../infra/testing/waiting.ts'
import { closeAccount } from '../../trading/buying/testing/buyers.ts'
import { context, forgetOrders, givenDeposits } from './testing/depositors.ts'

let test: TestDatabase
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

class Crash extends Error {}

/** Dies before the statement that the counter reaches, inside or outside a transaction. */
function crashing(db: Db, fuse: { left: number }): Db {
  const burn = (): void => {
    if (fuse.left > 0 && --fuse.left === 0) throw new Crash('killed')
  }
  const guarded = <Target extends Tx | Db>(target: Target): Target => ({
    ...target,
    query: async (...args: Parameters<Db['query']>) => {
      burn()
      return target.query(...args)
    },
  })
  return {
    ...guarded(db),
    transaction: (work) =>
      db.transaction(async (tx) => {
        const result = await work(guarded(tx))
        burn()
        return result
      }),
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constant('pay' as const), cents: fc.integer({ min: 1, max: 30_000 }) }),
  fc.record({ do: fc.constant('refund' as const), cents: fc.integer({ min: 1, max: 5000 }) }),
  fc.record({ do: fc.constant('crash' as const), after: fc.integer({ min: 1, max: 30 }) }),
  ...(['follow', 'follow', 'notices', 'cancel', 'expire', 'away', 'wait'] as const).map((name) =>
    fc.record({ do: fc.constant(name) }),
  ),
)

it('any interleaving credits every settled payment once, to the cent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 14 }),
      fc.constantFrom('USD' as const, 'EUR' as const),
      async (steps, currency) => {
        await forgetOrders(test.db)
        const clock = manualClock()
        const fuse = { left: 0 }
        const a = givenDeposits(crashing(test.db, fuse), clock)
        const who = await a.depositor(currency)
        const { id } = await a.given(who)
        const survive = (work: Promise<unknown>): Promise<unknown> =>
          work.catch((error) => {
            if (!(error instanceof Crash) && error.name !== 'Refusal') throw error
          })
        for (const one of steps) {
          if (one.do === 'pay') a.gateway.pay(id, formatDecimal(tokens(one.cents)))
          if (one.do === 'refund') a.gateway.refund(id, formatDecimal(tokens(one.cents)))
          if (one.do === 'crash') fuse.left = one.after
          if (one.do === 'away') a.gateway.isOnline = !a.gateway.isOnline
          if (one.do === 'wait') clock.advance(7 * 60_000)
          if (one.do === 'expire') a.gateway.set(id, { state: 'expired' })
          if (one.do === 'cancel') {
            await survive(Promise.all([a.cancel(who.accountId, id, context), a.follow()]))
          }
          if (one.do === 'follow') await survive(Promise.all([a.follow(), a.follow()]))
          if (one.do === 'notices') {
            const notice = () =>
              a.receiveNotice('gateway', { 'x-signature': 'good' }, Buffer.from(id))
            await survive(Promise.all([notice(), a.followDue(), notice(), a.followDue()]))
          }
        }
        fuse.left = 0
        a.gateway.isOnline = true
        a.gateway.set(id, { state: 'expired' })
        for (let look = 0; look < 3; look++) await a.follow()

        const deposit = await a.find(id)
        const { payments = [], refunds = [] } = a.gateway.orders.get(id) ?? {}
        const isOverpaid = payments.length > 0 && deposit.status === 'refunded'
        const paid = sum(payments.map(({ amountToken }) => amountToken))
        // What comes after a refund waits for an operator.
        if (!isOverpaid) assert.equal(deposit.received, paid)
        const gross = deposit.creditedUsd + deposit.feeUsd
        assert.equal(
          gross,
          deposit.received / 10n ** 16n,
          'cents are the tokens, rounded down once',
        )
        if (payments.length === 0) assert.equal(deposit.credited, 0n)
        if (refunds.length === 0) assert.equal(deposit.reversed, 0n)
        const debt = await a.debt(who)
        assert.equal((await a.balance(who)) + debt, deposit.credited - deposit.reversed)
        assert.equal(debt, 0n)
        assert.deepEqual(await a.audit(), [])
        const events = await a.events(id)
        const once = events.filter((type) => type !== 'deposit.refunded')
        assert.equal(new Set(once).size, once.length, 'each status has one event')
      },
    ),
    { numRuns: 25 },
  )
})

const tokens = (cents: number): Attos => (BigInt(cents) * 10n ** 16n) as Attos
const sum = (amounts: readonly string[]): bigint =>
  amounts.reduce((total, text) => {
    const [whole = '0', fraction = ''] = text.split('.')
    return total + BigInt(whole + fraction.padEnd(18, '0'))
  }, 0n)

it('several orders are locked by account, whatever the plan of their update: none waits in a ring', async () => {
  const { db } = test
  const a = givenDeposits(db, manualClock())
  const [first, second] = [await a.depositor(), await a.depositor()].sort((one, other) =>
    one.accountId < other.accountId ? -1 : 1,
  )
  assert.ok(first && second)
  // By account the deposit that was made later comes first; by its own id it comes last.
  const byId = await a.given(second)
  const byAccount = await a.given(first)
  const placed = [byId, byAccount].map(({ id }) => ({ deposit_id: id, details: {} }))
  const { placing } = await db.transaction(async (tx) => {
    await tx.query(LOCK, [byAccount.id])
    const placing = db.query(PLACE, [JSON.stringify(placed)])
    await until('it waits for the first', async () => (await db.query(WAITING)).length > 0)
    await db.query(LOCK_NOW, [byId.id])
    return { placing }
  })
  await placing
})

it('a payment for a deleted account is credited in one commit with its case', async () => {
  const { db } = test
  await forgetOrders(db)
  const clock = manualClock()
  const a = givenDeposits(db, clock)
  const who = await a.depositor()
  const { id } = await a.given(who)
  await closeAccount(db, who.accountId, 'deleted')
  a.gateway.pay(id, '100', { state: 'paid' })
  const { within } = a.deps.onCase
  a.deps.onCase.within = () => Promise.reject(new Crash('killed'))
  await assert.rejects(a.follow(), Crash)
  assert.equal((await a.find(id)).credited, 0n)
  a.deps.onCase.within = within
  clock.advance(60_000)
  await a.follow()
  assert.equal((await a.find(id)).credited, 99_00n)
  assert.deepEqual(a.cases, [{ kind: 'deposit_unclaimed', depositId: id }])
})

const LOCK = sql(
  'test.lock_order',
  'select from deposits.provider_order where deposit_id = $1 for update',
)
const LOCK_NOW = sql(
  'test.lock_order_now',
  'select from deposits.provider_order where deposit_id = $1 for update nowait',
)
const PLACE = sql('test.place_orders', 'select from deposits.place_orders($1, false)')
