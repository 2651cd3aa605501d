// Withdrawals after a restore: the merchant asks for them again, and an operator records which transactions
// of the chain have paid them, as the runbook says.
import assert from 'node:assert/strict'
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import type { OwnInstallation } from '../endurance/worlds/installation.ts'
import { ops, type Settings } from '../support/server.ts'
import { until } from '../support/until.ts'
import { newWithdrawal, type Paid, paidOnce, untilConfirmed, withdraw } from './money.ts'

const CLOSED = sql(
  'drill.payments_closed',
  `select from reconciliation.placing_gate where market = 'payments' and closed_at is not null`,
)

export async function payAgain(
  around: Pick<OwnInstallation, 'merchant' | 'sandbox'>,
  paid: readonly Paid[],
  { db, settings }: { readonly db: Db; readonly settings: Settings },
): Promise<void> {
  const because = ['--reason', 'drill: compared with the chain and the log of the merchant']
  for (const { id: before, hash, nonce, ...withdrawal } of paid) {
    const { externalId } = withdrawal
    const id = await withdraw(around, withdrawal)
    const { status } = await around.merchant.get('getWithdrawal', { params: { id } })
    assert.ok(['pending_callback', 'queued'].includes(status), `${externalId} waits: ${status}`)
    if (externalId === 'waiting-at-the-copy') assert.equal(id, before)
    const transaction = ['--hash', hash, '--nonce', String(nonce)]
    await ops(settings, 'payouts', 'paid', id, ...transaction, ...because)
    await untilConfirmed(around, id)
  }
  assert.equal((await db.query(CLOSED)).length, 1, 'until then nothing is paid')
  await ops(settings, 'placing:open', 'payments', ...because)
  const anew = newWithdrawal('after-the-restore', 3500)
  const id = await withdraw(around, anew)
  await until(
    'a new withdrawal is confirmed',
    async () => {
      const { status } = await around.merchant.get('getWithdrawal', { params: { id } })
      if (status === 'confirmed') return true
      const wallets = await ops(settings, 'wallets', 'list')
      for (const [, wallet] of wallets.matchAll(/^ethereum +(\w+) .* halted/gm)) {
        await ops(settings, 'wallets', 'reopen', `ethereum:${wallet}`, ...because)
      }
      throw new Error(`it is ${status}:\n${wallets}`)
    },
    { deadlineMs: 180_000, everyMs: 1000 },
  )
  await paidOnce(around, [...paid, anew])
}
