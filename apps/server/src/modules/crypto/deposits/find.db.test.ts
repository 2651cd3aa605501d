import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Db, sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { FIND, findDeposits } from './store/find.ts'
import { givenDeposits } from './testing/depositors.ts'

let test: TestDatabase
let db: Db
let a: ReturnType<typeof givenDeposits>

before(async () => {
  test = await testDatabase()
  db = test.db
  a = givenDeposits(db, manualClock())
})
after(() => test.close())

const TOO_MUCH = '100101'
const hashOf = (): string => `0x${newId().replaceAll('-', '').repeat(2)}`

/** A deposit whose order is paid to an address of its own, in one payment of that hash. */
async function givenPaid(amount: string) {
  const who = await a.depositor()
  const address = `T${newId().replaceAll('-', '')}Xy`
  const hash = hashOf()
  a.gateway.nextAddress = address
  const { id } = await a.given(who)
  const prepayId = a.gateway.orders.get(id)?.prepayId ?? ''
  const settlementRef = `${prepayId}/${hash}`
  a.gateway.pay(id, amount, { state: 'paid', settlementRef, txHash: hash })
  await a.follow()
  await a.follow()
  return { who, id, address, hash }
}

const find = async (text: string, tenantId: string | null): Promise<string[]> =>
  (await findDeposits(db, { ids: [], transferIds: [], text, tenantId })).map(({ id }) => id)

it('a deposit is found by the address of its order and the hash of its payment, by its tenant alone', async () => {
  const credited = await givenPaid('100')
  const held = await givenPaid(TOO_MUCH)
  assert.equal(await a.balance(held.who), 0n)
  for (const { who, id, address, hash } of [credited, held]) {
    for (const text of [address, hash, hash.toUpperCase().replace('0X', '0x')]) {
      assert.deepEqual(await find(text, who.tenantId), [id], text)
      assert.deepEqual(await find(text, null), [id], text)
      assert.deepEqual(await find(text, newId()), [], text)
    }
  }
})

it('each look-up of a deposit goes by an index', async () => {
  const explain = sql('test.explain_find', `explain (format json) ${FIND.text}`)
  const plan = await db.transaction(async (tx) => {
    await tx.query(sql('test.no_scan', 'set local enable_seqscan = off'))
    return tx.query(explain, [[], [], 'x', null])
  })
  const text = JSON.stringify(plan)
  for (const index of [
    ...['deposit_pkey', 'deposit_transfer_once', 'provider_order_once'],
    ...['provider_order_paid_to', 'credit_of_payment', 'held_payment_of_payment'],
  ]) {
    assert.match(text, new RegExp(`"${index}"`), index)
  }
  assert.doesNotMatch(text, /Seq Scan/)
})
