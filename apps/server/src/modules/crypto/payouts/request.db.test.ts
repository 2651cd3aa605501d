import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { readBalance } from '#ledger'
import { testDatabase } from '../../../infra/testing/database.ts'
import { aMerchant } from '../../accounts/identity/testing/accounts.ts'
import { credit } from '../../money/ledger/testing/wallets.ts'
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
  const silent = { key: 'SERVICE_DISABLED', facts: { reason: 'workers_silent' } }
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
