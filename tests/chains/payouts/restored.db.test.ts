// Payouts on a database that was restored: what it lost happened on the chain all the same.

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import {
  openRecoveryMark,
  type RecoveryMark,
} from '../../../apps/server/src/infra/database/recovery-mark.ts'
import type { Hex } from '../../../apps/server/src/kernel/chain.ts'
import { newId } from '../../../apps/server/src/kernel/id.ts'
import { skipAddresses } from '../../../apps/server/src/modules/crypto/chains/index.ts'
import {
  auditOutbound,
  findLostAttempts,
  findUnknownPayments,
  reopenWallet,
} from '../../../apps/server/src/modules/crypto/outbound/index.ts'
import {
  auditPayouts,
  auditWithdrawals,
  recordLostPayment,
} from '../../../apps/server/src/modules/crypto/payouts/index.ts'
import type { Withdrawal } from '../../../apps/server/src/modules/crypto/payouts/withdrawal.ts'
import { auditCustody } from '../../../apps/server/src/modules/money/custody/index.ts'
import {
  createPlacingGate,
  forcePlacingGate,
  openPaymentsGate,
  PAYMENTS,
} from '../../../apps/server/src/modules/trading/reconciliation/index.ts'
import {
  noPayments,
  startProcess,
  type TestProcess,
} from '../../../apps/server/src/modules/trading/reconciliation/testing/process.ts'
import { callData } from '../../support/chains/index.ts'
import { actsIn } from './acts.ts'
import {
  newDestination,
  type PayoutEnvironment,
  payoutEnvironment,
  refusal,
} from './environment.ts'

const SETTLE_MS = 15 * 60_000

let environment: PayoutEnvironment
let own: TestProcess
const acts = actsIn(() => environment)
before(async () => {
  environment = await payoutEnvironment()
  const { db, clock } = environment
  own = await startProcess({ db, clock, gates: [PAYMENTS] })
  await environment.fund('USDC', 10n ** 12n)
  await markOf(null).advance()
})
after(async () => {
  for (const audit of [auditCustody, auditOutbound, auditPayouts, auditWithdrawals]) {
    assert.deepEqual(await audit(environment.db), [])
  }
  await own.close()
  await environment.close()
})

/** Of a process whose data folder has this mark. */
const markOf = (text: string | null): RecoveryMark => {
  const { db, clock } = environment
  return openRecoveryMark({ db, clock, file: { read: () => text, write: () => {} } })
}

/** Closed as by a worker whose mark the database has lost. */
async function closeGate(): Promise<void> {
  const { db, clock } = environment
  const mayPay = createPlacingGate({
    ...{ db, clock, mark: markOf(newId()), skipAddresses, lost: noPayments },
    intents: own.intents,
    markets: [{ id: PAYMENTS, settleMs: SETTLE_MS }],
    onClosed: () => {},
  })
  assert.equal(await mayPay(PAYMENTS), false)
  environment.mayPay = false
}

async function openGate(): Promise<string> {
  const { db, clock, node } = environment
  const opening = await openPaymentsGate({
    ...{ db, clock, settleMs: SETTLE_MS },
    findUnknownPayments: () => findUnknownPayments({ db, node }),
  })
  environment.mayPay = opening.kind === 'opened'
  return opening.kind === 'unavailable' ? opening.detail : opening.kind
}

async function approved(change: Parameters<PayoutEnvironment['submit']>[0] = {}) {
  const { id } = await environment.submit(change)
  await environment.approve()
  return environment.read(id)
}

/** What the lost part of the database sent: the hash of a transaction of the hot wallet. */
async function lostPayment({ destination, units }: Withdrawal) {
  const { chain, hot } = environment
  await chain.impersonate(hot)
  const to = (await acts.contract('USDC')) ?? hot
  const data = callData('Token', 'transfer(address,uint256)', [destination, units])
  return chain.send({ from: hot, to, data })
}

it('until the chains have been compared no merchant is asked and nothing is signed', async () => {
  await environment.finish((await acts.sent()).id)
  const queued = await approved()
  const pending = await environment.submit()
  await closeGate()
  await environment.approve()
  assert.equal(await environment.send(), false)
  const now = await Promise.all([environment.read(queued.id), environment.read(pending.id)])
  assert.deepEqual(
    now.map(({ status, callbackAttempts }) => [status, callbackAttempts]),
    [
      ['queued', 1],
      ['pending_callback', 0],
    ],
  )
  assert.equal(await openGate(), 'settling')
  environment.clock.advance(SETTLE_MS)
  assert.equal(await openGate(), 'opened')
  for (const { id } of now) assert.equal((await environment.finish(id)).status, 'confirmed')
})

it('a payment is noted before it leaves, and stays when it cannot be noted', async () => {
  const { db, node, hot } = environment
  const { id } = await approved()
  const before = await node.nonceOf(hot)
  await environment.send({ noteSend: async () => false })
  assert.equal(await node.nonceOf(hot), before)
  const noted: { refId: string; hash: Hex }[] = []
  await environment.send({
    noteSend: async ({ refId }, hash) => {
      assert.equal(await node.nonceOf(hot), before)
      noted.push({ refId, hash })
      return true
    },
  })
  const { status, txHash } = await environment.finish(id)
  assert.equal(status, 'confirmed')
  assert.deepEqual(noted, [{ refId: id, hash: txHash }])
  const lost = `0x${'b'.repeat(64)}`
  assert.deepEqual(await findLostAttempts(db, [txHash ?? '', lost]), [lost])
})

const NONCES = sql(
  'test.nonces',
  `select array_agg((payload->>'nonce')::int order by id) nonces from outbox.event
   where subject_id = any ($1::uuid[]) and type = 'payout.crypto.withdraw.broadcast'`,
)

it('a payment that was lost keeps payments back until it is recorded, and is not made again', async () => {
  const destination = newDestination()
  const queued = await approved({ destination })
  const pending = await environment.submit({ destination })
  await closeGate()
  environment.clock.advance(SETTLE_MS)
  const hash = await lostPayment(queued)
  assert.match(await openGate(), /^ethereum:hot: the chain has \d+ transactions, we know of \d+$/)
  const second = await lostPayment(pending)
  await environment.chain.mine(4)
  assert.match(await openGate(), /^ethereum:hot: the chain has/)

  const at = environment.clock.now()
  const record = (id: string, of: typeof hash, nonce: number): Promise<void> =>
    environment.db.transaction((tx) => recordLostPayment(tx, id, { hash: of, nonce, at }))
  await record(queued.id, hash, 5)
  await record(pending.id, second, 6)
  assert.equal(await refusal(record(queued.id, hash, 5)), 'CRYPTO_PAYOUT_NOT_FOUND')
  const [{ nonces }] = (await environment.db.query(NONCES, [[queued.id, pending.id]])) as [
    { nonces: number[] },
  ]
  assert.deepEqual(nonces, [5, 6], 'the event has the nonce that the operator named')
  for (const [{ id }, of] of [[queued, hash] as const, [pending, second] as const]) {
    const { status, txHash } = await environment.read(id)
    assert.deepEqual([status, txHash], ['confirmed', of])
    assert.deepEqual(await environment.events(id), ['broadcast', 'confirmed'])
  }

  // The wallet finds the nonces that are not ours, and an operator opens it again.
  await environment.db.transaction((tx) => forcePlacingGate(tx, PAYMENTS, at))
  environment.mayPay = true
  const next = await approved()
  await environment.send()
  assert.equal(environment.alarms.at(-1)?.alarm, 'outbound_wallet_halted')
  const wallet = { chain: 'ethereum', keyRef: 'hot' } as const
  await reopenWallet(environment.db, wallet, { reason: 'compared', foreignHashes: [], at })
  assert.equal((await environment.finish(next.id)).status, 'confirmed')
  assert.equal(await acts.held(destination, 'USDC'), queued.units + pending.units)
})

it('a transaction of a payment that is known pays for no other, and what was signed is not recorded', async () => {
  const sent = await acts.sent()
  const { id } = await environment.submit()
  const at = environment.clock.now()
  const record = (of: string, hash: string): Promise<void> =>
    environment.db.transaction((tx) =>
      recordLostPayment(tx, of, { hash: hash as `0x${string}`, nonce: 1, at }),
    )
  const other = `0x${'a'.repeat(64)}`
  assert.equal(await refusal(record(id, sent.txHash ?? '')), 'CRYPTO_PAYOUT_NOT_FOUND')
  assert.equal(await refusal(record(sent.id, other)), 'CRYPTO_PAYOUT_NOT_FOUND')
  assert.equal((await environment.finish(sent.id)).status, 'confirmed')
  assert.equal((await environment.finish(id)).status, 'confirmed')
})
