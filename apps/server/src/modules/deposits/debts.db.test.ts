import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { sql, violatedConstraint } from '#infra/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { fund, history, transferEarnings } from '#ledger'
import type { ManualClock } from '../../infra/testing/clock.ts'
import { credit } from '../ledger/testing/wallets.ts'
import type { Depositor } from './open-deposit.ts'
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
