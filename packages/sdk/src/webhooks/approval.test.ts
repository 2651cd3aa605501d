import assert from 'node:assert/strict'
import { it } from 'node:test'
import { APPROVAL, signedDelivery } from '../testing/signed-delivery.ts'
import { type DecideWithdrawal, isExpectedWithdrawal, type WithdrawalRecord } from './approval.ts'
import { receive } from './receive.ts'

const { withdrawal } = APPROVAL.data
const EXPECTED = {
  destination: withdrawal.destination,
  amountCents: 2500,
  forUserExternalId: 'anna',
}

const answerTo = async (
  event: object,
  onApproval?: DecideWithdrawal,
): Promise<{ status: number }> => {
  const { body, headers, secret } = signedDelivery({ body: JSON.stringify(event) })
  return receive({ body, headers }, { secret, onApproval, onEvent: () => undefined })
}

it('without a decision every withdrawal is refused', async () => {
  assert.equal((await answerTo(APPROVAL)).status, 403)
})

it('only the value true approves a withdrawal', async () => {
  for (const decision of [undefined, null, 1, 'yes', {}, false] as unknown[]) {
    const { status } = await answerTo(APPROVAL, () => decision as boolean)
    assert.equal(status, 403, String(decision))
  }
  assert.equal((await answerTo(APPROVAL, () => true)).status, 204)
})

it('a decision that throws is passed on, so that the service retries', async () => {
  await assert.rejects(
    answerTo(APPROVAL, () => {
      throw new Error('the database is away')
    }),
    /away/,
  )
})

it('an incomplete record is refused without a decision', async () => {
  const decide = (): boolean => assert.fail('decided')
  for (const data of [{}, { withdrawal: null }, { withdrawal: { externalId: 'x' } }]) {
    assert.equal((await answerTo({ ...APPROVAL, data }, decide)).status, 403)
  }
  const half = { withdrawal: { ...withdrawal, amountCents: '2500' } }
  assert.equal((await answerTo({ ...APPROVAL, data: half }, decide)).status, 403)
})

it('a withdrawal is the expected one only when every fact is equal', () => {
  assert.ok(isExpectedWithdrawal(withdrawal, EXPECTED))
  assert.ok(isExpectedWithdrawal(withdrawal, { ...EXPECTED, chain: 'base', token: 'USDC' }))
  const others: Partial<WithdrawalRecord>[] = [
    { destination: '0x0000000000000000000000000000000000000001' },
    { destination: '' },
    { amountCents: 2501 },
    { forUserExternalId: null },
    { forUserExternalId: 'Anna' },
  ]
  for (const other of others) {
    assert.ok(!isExpectedWithdrawal({ ...withdrawal, ...other }, EXPECTED), JSON.stringify(other))
  }
  assert.ok(!isExpectedWithdrawal(withdrawal, { ...EXPECTED, chain: 'bsc' }))
  assert.ok(!isExpectedWithdrawal(withdrawal, undefined))
})

it('the case of an EVM address is ignored, that of another address is not', () => {
  const lower = { ...EXPECTED, destination: EXPECTED.destination.toLowerCase() }
  assert.ok(isExpectedWithdrawal(withdrawal, lower))
  const other = { ...withdrawal, destination: 'BmGa' }
  assert.ok(!isExpectedWithdrawal(other, { ...EXPECTED, destination: 'bMgA' }))
})
