import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeKey, issueKey, readSpent } from '#identity'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { readBalance } from '#ledger'
import { testDatabase } from '../../../infra/testing/database.ts'
import { until } from '../../../infra/testing/until.ts'
import { WAITING } from '../../../infra/testing/waiting.ts'
import { aMerchant } from '../../accounts/identity/testing/accounts.ts'
import { credit } from '../../money/ledger/testing/wallets.ts'
import { refund } from './settle.ts'
import { lockWithdrawal } from './store/withdrawals.ts'
import { givenWalletWithdrawal, givenWithdrawal } from './testing/withdrawals.ts'

const { db, close } = await testDatabase({ poolSize: 4 })
after(close)

test('while no worker lives no withdrawal is accepted and nothing is debited; a replay is answered', async () => {
  const at = new Date()
  const merchant = await aMerchant(db)
  await credit(db, merchant, cents(10_000n))
  const { id } = merchant
  const wallet = { accountId: id, tenantId: id, at, idempotencyKey: newId() }
  const custody = { merchantId: id, externalId: newId(), at }
  const first = await givenWalletWithdrawal(db, wallet)
  const second = await givenWithdrawal(db, custody)
  const balance = await readBalance(db, id)

  const areWorkersSilent = true
  const silent = { key: 'SERVICE_DISABLED', details: { reason: 'workers_silent' } }
  const fresh = newId()
  const refused = [
    givenWalletWithdrawal(db, { ...wallet, idempotencyKey: fresh, areWorkersSilent }),
    givenWithdrawal(db, { ...custody, externalId: fresh, areWorkersSilent }),
  ]
  for (const one of refused) await assert.rejects(one, silent)
  assert.equal(await readBalance(db, id), balance)
  assert.deepEqual(await givenWalletWithdrawal(db, { ...wallet, areWorkersSilent }), first)
  assert.deepEqual(await givenWithdrawal(db, { ...custody, areWorkersSilent }), second)

  await givenWalletWithdrawal(db, { ...wallet, idempotencyKey: fresh })
  assert.ok((await readBalance(db, id)) < balance)
})

/** A merchant with money, and a key of it that may spend as much a day. */
async function givenLimited(amountCents: bigint) {
  const at = new Date('2026-11-21T12:00:00Z')
  const merchant = await aMerchant(db)
  await credit(db, merchant, cents(100_000n))
  const { id } = merchant
  const { id: keyId } = await db.transaction((tx) =>
    issueKey(tx, { accountId: id, kind: 'merchant', name: 'k', environment: 'test', at }),
  )
  const spendLimit = { amountCents: cents(amountCents), window: 'day' } as const
  await db.transaction((tx) => changeKey(tx, keyId, { spendLimit }, at))
  const spent = async () => (await readSpent(db, [keyId], at)).get(keyId)
  const wallet = { accountId: id, tenantId: id, at, keyId }
  return { id, at, keyId, spent, wallet }
}

const OVER = { key: 'SPENDING_LIMIT_REACHED' }

test('withdrawals count their amounts without fees under the limit of the key, from custody and from a wallet', async () => {
  const { id, at, keyId, spent, wallet } = await givenLimited(2n * 1_234n)
  await givenWithdrawal(db, { merchantId: id, externalId: 'w-1', at, keyId })
  assert.equal(await spent(), 1_234n)
  await givenWalletWithdrawal(db, { ...wallet, idempotencyKey: 'w-2' })
  assert.equal(await spent(), 2_468n)
  const balance = await readBalance(db, id)
  await assert.rejects(givenWithdrawal(db, { merchantId: id, externalId: 'w-3', at, keyId }), OVER)
  await assert.rejects(givenWalletWithdrawal(db, wallet), OVER)
  assert.equal(await readBalance(db, id), balance)
  // Replays are answered, also when they come with another key.
  await givenWithdrawal(db, { merchantId: id, externalId: 'w-1', at, keyId: null })
  await givenWalletWithdrawal(db, { ...wallet, idempotencyKey: 'w-2', keyId: null })
  assert.equal(await spent(), 2_468n)
})

test('a withdrawal that is refunded within the window is given back, and one of many that is refused refuses no other', async () => {
  const { id, at, keyId, spent } = await givenLimited(3n * 1_234n)
  const submit = (externalId: string) =>
    givenWithdrawal(db, { merchantId: id, externalId, at, keyId })
  const answers = await Promise.allSettled(Array.from({ length: 5 }, (_, i) => submit(`w-${i}`)))
  const created = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  assert.equal(created.length, 3)
  await db.transaction(async (tx) => {
    const withdrawal = await lockWithdrawal(tx, created[0]?.id ?? '')
    assert.ok(withdrawal)
    await refund(tx, withdrawal, { reason: 'operator_refused', at, hash: null })
  })
  assert.equal(await spent(), 2n * 1_234n)
  await submit('another')
})

test('a withdrawal that waits for the limit of its own key keeps no other account waiting', async () => {
  const { id, at, keyId, spent, wallet } = await givenLimited(2n * 1_234n)
  const other = await aMerchant(db)
  await credit(db, other, cents(10_000n))
  const { waiting } = await db.transaction(async (tx) => {
    const spendLimit = { amountCents: cents(1_234n), window: 'day' } as const
    await changeKey(tx, keyId, { spendLimit }, at)
    const begun = givenWalletWithdrawal(db, wallet)
    await until('it waits', async () => (await db.query(WAITING)).length > 0)
    await givenWalletWithdrawal(db, { accountId: other.id, tenantId: other.id, at })
    return { waiting: begun }
  })
  assert.equal((await waiting).ownerId, id)
  assert.equal(await spent(), 1_234n)
})
