import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { refreshRate } from '#fx'
import { setDebtRecovery } from '#identity'
import { sql, violatedConstraint } from '#infra/database/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { fund, history, transferEarnings } from '#ledger'
import type { ManualClock } from '../../../infra/testing/clock.ts'
import { credit } from '../../money/ledger/testing/wallets.ts'
import type { Depositor } from './open-deposit.ts'
import { recoverDebts } from './recover-debts.ts'
import { type Deposits, useDeposits } from './testing/use-deposits.ts'

let clock: ManualClock
let a: Deposits
const { db } = await useDeposits((given) => {
  ;({ clock, a } = given)
})

const SPEND = sql(
  'test.spend_of',
  `select ledger.post('adjustment', null, $1, $2, '\\x00', $3, array[$4::ledger.currency],
     array[ledger.account_of($1, 'spot')], array[ledger.house('adjustment', $4::ledger.currency)], array[$5::bigint])`,
)
const POST_NEW = sql(
  'test.post_new',
  `select ledger.post_new('adjustment', array[$1::uuid], array[null::uuid], array[$2::uuid], array[$1::text],
     array['\\x00'::bytea], array[$3::timestamptz], array[null::text],
     array[($1, 'USD', ledger.house('adjustment', 'USD'), ledger.account_of($2, 'spot'), $4)::ledger.leg])`,
)
const REVERSE = sql('test.reverse', 'select ledger.reverse($1, $2, $3, $4)')
const SPENT = sql(
  'test.journal_of',
  'select id from ledger.journal where scope_id = $1 and idempotency_key = $2',
)

async function spend(who: Depositor, amount: bigint): Promise<string> {
  const key = newId()
  await db.query(SPEND, [who.accountId, key, clock.now(), who.currency, amount])
  const [row] = await db.query<{ id: string }>(SPENT, [who.accountId, key])
  return row?.id ?? ''
}

/** An account that owes so many cents for a deposit of 100.00 US dollars, of which 99.00 were credited. */
async function owing(owed: bigint, who?: Depositor) {
  const debtor = who ?? (await a.depositor())
  const { id: depositId } = await a.given(debtor)
  a.gateway.pay(depositId, '100', { state: 'paid' })
  await a.follow()
  const spentIn = await spend(debtor, owed)
  a.gateway.refund(depositId, '100')
  await a.follow()
  assert.deepEqual([await a.balance(debtor), await a.debt(debtor)], [0n, -owed])
  return { debtor, depositId, spentIn }
}

const ledgerOf = async (who: Depositor) => {
  const filter = { cursor: null, limit: 50, type: null, status: null, from: null, to: null }
  return (await history(db, { ownerId: who.accountId, kind: 'spot' }, filter)).items
}

describe('what an account owes is taken in the commit that credits it', () => {
  const owner = ({ accountId, currency }: Depositor) => ({ id: accountId, currency })
  let debtor: Depositor
  let depositId: string
  let spentIn: string
  beforeEach(async () => {
    ;({ debtor, depositId, spentIn } = await owing(49_75n))
  })

  /** Of one who is credited with 45.00 nothing is left; of 10.00 more, 5.25. */
  const isTakenFrom = async (creditBy: (amount: bigint) => Promise<unknown>): Promise<void> => {
    await creditBy(45_00n)
    assert.deepEqual([await a.balance(debtor), await a.debt(debtor)], [0n, -4_75n])
    const [repaid, credited] = await ledgerOf(debtor)
    assert.deepEqual(
      [repaid?.type, repaid?.amount, repaid?.externalRef, credited?.amount],
      ['adjustment', -45_00n, depositId, 45_00n],
    )
    await creditBy(10_00n)
    assert.deepEqual([await a.balance(debtor), await a.debt(debtor)], [5_25n, 0n])
    await creditBy(1n)
    assert.deepEqual([await a.balance(debtor), await a.debt(debtor)], [5_26n, 0n])
  }

  const move = async (direction: 'fund' | 'defund', amount: bigint): Promise<void> => {
    const other = await a.depositor()
    await credit(db, owner(other), cents(amount))
    const [merchant, subUser] = direction === 'fund' ? [other, debtor] : [debtor, other]
    await db.transaction((tx) =>
      fund(tx, {
        ...{ direction, merchant: owner(merchant), subUser: owner(subUser) },
        ...{ amount: cents(amount), subUserAmount: cents(amount) },
        ...{ idempotencyKey: newId(), at: clock.now() },
      }),
    )
  }

  it('a fund', () => isTakenFrom((amount) => move('fund', amount)))
  it('a defund', () => isTakenFrom((amount) => move('defund', amount)))
  it('any single journal', () =>
    isTakenFrom((amount) => credit(db, owner(debtor), cents(amount), { at: clock.now() })))
  it('a journal among several', () =>
    isTakenFrom((amount) => db.query(POST_NEW, [newId(), debtor.accountId, clock.now(), amount])))

  it('a reversal', async () => {
    await db.query(REVERSE, [spentIn, debtor.accountId, newId(), clock.now()])
    assert.deepEqual([await a.balance(debtor), await a.debt(debtor)], [0n, 0n])
  })

  it('a transfer of earnings', async () => {
    const merchant = {
      accountId: debtor.tenantId,
      tenantId: debtor.tenantId,
      currency: 'USD' as const,
    }
    await owing(49_75n, merchant)
    await credit(db, owner(merchant), cents(60_00n), { kind: 'earnings' })
    assert.equal(await a.debt(merchant), -49_75n)
    const [amount, at] = [cents(60_00n), clock.now()]
    await db.transaction((tx) =>
      transferEarnings(tx, { merchant: owner(merchant), amount, idempotencyKey: newId(), at }),
    )
    assert.deepEqual([await a.balance(merchant), await a.debt(merchant)], [10_25n, 0n])
  })

  it('for the oldest deposit first, each named by its own row', async () => {
    const who = await a.depositor()
    const deposits = [await a.given(who), await a.given(who)]
    for (const { id } of deposits) a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    await spend(who, 198_00n)
    for (const { id } of deposits) {
      a.gateway.refund(id, '100')
      await a.follow()
      clock.advance(1)
    }
    await credit(db, owner(who), cents(120_00n))
    const repaid = (await ledgerOf(who)).filter(({ externalRef }) => externalRef !== null)
    assert.deepEqual(
      repaid.slice(0, 2).map(({ externalRef, amount }) => [externalRef, amount]),
      [
        [deposits[1]?.id, -21_00n],
        [deposits[0]?.id, -99_00n],
      ],
    )
  })

  it('so that of a credit and spends at the same moment no cent that is owed is spent', async () => {
    const spends = Array.from({ length: 8 }, () =>
      spend(debtor, 5_20n).catch((error) =>
        assert.equal(violatedConstraint(error), 'no_overdraft'),
      ),
    )
    await Promise.all([move('fund', 45_00n), ...spends])
    assert.deepEqual([await a.balance(debtor), await a.debt(debtor)], [0n, -4_75n])
  })
})

describe('a debt of a user that is older than a day is taken from the spot wallet of its merchant', () => {
  const HOUR_MS = 3_600_000
  const merchantOf = (
    { tenantId }: Depositor,
    currency: Depositor['currency'] = 'USD',
  ): Depositor => ({ accountId: tenantId, tenantId, currency })
  const set = (who: Depositor, recoversDebts: boolean) =>
    db.transaction((tx) => setDebtRecovery(tx, who.tenantId, recoversDebts, clock.now()))
  const give = (who: Depositor, amount: bigint) =>
    credit(db, { id: who.accountId, currency: who.currency }, cents(amount), { at: clock.now() })
  const recover = () => recoverDebts({ db, clock })
  /** What the merchant has, what the user has, and what it owes. */
  const state = async (who: Depositor, merchant = merchantOf(who)) =>
    Promise.all([a.balance(merchant), a.balance(who), a.debt(who)])

  it('where it is set, and not a minute earlier', async () => {
    const { debtor, depositId } = await owing(49_75n)
    await give(merchantOf(debtor), 100_00n)
    clock.advance(25 * HOUR_MS)
    await recover()
    assert.deepEqual(await state(debtor), [100_00n, 0n, -49_75n], 'it is off')
    await set(debtor, true)
    const { debtor: fresh } = await owing(10_00n)
    await set(fresh, true)
    await give(merchantOf(fresh), 100_00n)
    clock.advance(23 * HOUR_MS)
    await recover()
    assert.deepEqual(await state(debtor), [50_25n, 0n, 0n])
    assert.deepEqual(await state(fresh), [100_00n, 0n, -10_00n])
    const [taken] = await ledgerOf(merchantOf(debtor))
    const [repaid, received] = await ledgerOf(debtor)
    const row = (amount: bigint) => ({ type: 'adjustment', amount, externalRef: depositId })
    for (const [entry, wanted] of [
      [taken, row(-49_75n)],
      [received, row(49_75n)],
      [repaid, row(-49_75n)],
    ] as const) {
      assert.ok(entry)
      const { type, amount, externalRef } = entry
      assert.deepEqual({ type, amount, externalRef }, wanted)
    }
    assert.equal(taken?.id, received?.id)
    clock.advance(2 * HOUR_MS)
    await recover()
    assert.deepEqual(await state(fresh), [90_00n, 0n, 0n])
  })

  it('as far as that covers it, and the rest when it has more; a fresher debt waits for its day', async () => {
    const who = await a.depositor()
    await set(who, true)
    const deposits = [await a.given(who), await a.given(who)]
    for (const { id } of deposits) a.gateway.pay(id, '100', { state: 'paid' })
    await a.follow()
    await spend(who, 198_00n)
    a.gateway.refund(deposits[0]?.id ?? '', '100')
    await a.follow()
    clock.advance(25 * HOUR_MS)
    a.gateway.refund(deposits[1]?.id ?? '', '100')
    await a.follow()
    await give(merchantOf(who), 60_00n)
    assert.equal(await recover(), false)
    assert.deepEqual(await state(who), [0n, 0n, -138_00n])
    await give(merchantOf(who), 100_00n)
    await recover()
    await recover()
    assert.deepEqual(await state(who), [61_00n, 0n, -99_00n])
    await set(who, false)
    clock.advance(25 * HOUR_MS)
    await recover()
    assert.deepEqual(await state(who), [61_00n, 0n, -99_00n])
  })

  it('between two currencies at the rate of the day, to the cent', async () => {
    const rate = { usdPerEurMicros: 1_250_000n, asOf: clock.now().toISOString().slice(0, 10) }
    const { rejected } = await refreshRate({ db, clock, source: { fetch: async () => rate } })
    assert.equal(rejected, null)
    const { debtor } = await owing(33_33n, await a.depositor('EUR'))
    await give(merchantOf(debtor), 10_00n)
    await set(debtor, true)
    clock.advance(25 * HOUR_MS)
    await recover()
    assert.deepEqual(await state(debtor), [0n, 0n, -25_33n])
    await give(merchantOf(debtor), 100_00n)
    await recover()
    // 25.33 euros are 31.6625 dollars.
    assert.deepEqual(await state(debtor), [68_33n, 0n, 0n])
  })

  it('once, when rounds run at the same moment as the merchant spends', async () => {
    const { debtor } = await owing(49_75n)
    const merchant = merchantOf(debtor)
    await give(merchant, 60_00n)
    await set(debtor, true)
    clock.advance(25 * HOUR_MS)
    const spends = Array.from({ length: 6 }, () =>
      spend(merchant, 10_00n).catch((error) =>
        assert.equal(violatedConstraint(error), 'no_overdraft'),
      ),
    )
    await Promise.all([recover(), recover(), recover(), ...spends])
    await recover()
    const [left, own, owed] = await state(debtor)
    assert.equal(own, 0n)
    assert.ok(left === 0n || owed === 0n, `${left} left, ${owed} owed`)
  })

  it('of a sub-user or child alone: neither can be asked to repay for others', async () => {
    const who = await a.depositor()
    const child = { ...who, tenantId: who.accountId }
    await assert.rejects(set(child, true), { key: 'USER_NOT_FOUND' })
  })
})
