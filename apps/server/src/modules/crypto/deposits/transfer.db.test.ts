import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { Refusal } from '#kernel/refusal'
import type { ManualClock } from '../../../infra/testing/clock.ts'
import type { Depositor } from './open-deposit.ts'
import { type Deposits, useDeposits } from './testing/use-deposits.ts'
import {
  creditTransfer,
  failTransfer,
  recordTransfer,
  reverseTransfer,
  setConfirmations,
} from './transfer.ts'

let clock: ManualClock
let a: Deposits
const { db } = await useDeposits((given) => {
  ;({ clock, a } = given)
})

const RATE = sql(
  'test.insert_rate',
  'insert into fx.rate (as_of, usd_per_eur_micros, fetched_at) values ($1, 1250000, now()) on conflict do nothing',
)

async function record(who: Depositor, units = 25_990_000n) {
  const transferId = newId()
  const transfer = {
    ...{ transferId, ownerId: who.accountId, chain: 'base', token: 'USDC', units, decimals: 6 },
    ...{ txHash: '0xabc', address: '0xdef', at: clock.now() },
  }
  const report = () => db.transaction((tx) => recordTransfer(tx, transfer))
  const { depositId } = await report()
  const credit = () =>
    db.transaction((tx) =>
      creditTransfer(tx, {
        ...{ transferId, creditedCents: cents(25_99n), usdE8: 100_000_000n, confirmations: 12 },
        ...{ rateSources: ['exchange'], at: clock.now() },
      }),
    )
  return { transferId, depositId, report, credit }
}

it('a transfer becomes one deposit, however often and at once it is reported', async () => {
  const who = await a.depositor()
  const { depositId, report } = await record(who)
  const again = await Promise.all(Array.from({ length: 8 }, report))
  assert.deepEqual([...new Set(again.map((one) => one.depositId))], [depositId])
  assert.deepEqual(await a.events(depositId), ['deposit.initiated', 'deposit.pending'])
})

it('a confirmed transfer is credited once, with its rate', async () => {
  const who = await a.depositor()
  const { depositId, credit, transferId } = await record(who)
  await db.transaction((tx) => setConfirmations(tx, [{ transferId, confirmations: 3 }]))
  assert.equal((await a.find(depositId)).confirmations, 3)
  await Promise.all(Array.from({ length: 8 }, credit))
  const deposit = await a.find(depositId)
  assert.deepEqual([deposit.status, deposit.confirmations], ['completed', 12])
  assert.equal(await a.balance(who), 25_99n)
})

it('a transfer to a wallet in euros waits for a rate', async () => {
  const who = await a.depositor('EUR')
  const { credit, depositId } = await record(who)
  await assert.rejects(
    credit(),
    (error) => error instanceof Refusal && error.key === 'SERVICE_DISABLED',
  )
  assert.equal((await a.find(depositId)).status, 'pending')
  await db.query(RATE, [clock.now().toISOString().slice(0, 10)])
  await credit()
  assert.equal(await a.balance(who), 20_79n)
})

it('a failed transfer is credited when it comes back, a reversed one never again', async () => {
  const who = await a.depositor()
  const { transferId, depositId, credit } = await record(who)
  const at = clock.now()
  await db.transaction((tx) => failTransfer(tx, { transferId, reason: 'chain_reorg', at }))
  assert.equal((await a.find(depositId)).reason, 'chain_reorg')
  await credit()
  assert.equal(await a.balance(who), 25_99n)
  const reverse = () => db.transaction((tx) => reverseTransfer(tx, { transferId, at }))
  const outcomes = await Promise.all([reverse(), reverse(), reverse()])
  assert.equal(
    outcomes.reduce((sum, { takenBack }) => sum + takenBack, 0n),
    25_99n,
  )
  assert.equal(await a.balance(who), 0n)
  assert.equal((await a.find(depositId)).status, 'failed')
  await assert.rejects(credit(), /was reversed/)
})
