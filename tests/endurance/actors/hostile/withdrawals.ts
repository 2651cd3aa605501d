// Withdrawals of a hostile merchant: one reference asked for several times at once with different amounts,
// destinations that are ours, and a callback that is silent, late, endless, redirecting, or says yes and no.
// Every destination is used once, so that the chain shows how often it was paid.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { until } from '../../../support/until.ts'
import { pickWith } from '../../dice.ts'
import { CHAIN } from '../../judge/chain.ts'
import type { MerchantAttackDeps } from './deps.ts'

const TOKENS = ['USDT', 'USDC', 'NATIVE'] as const
const FUNDS = { USDT: '400000', USDC: '400000', NATIVE: '100' } as const

export interface Withdrawals {
  step(): Promise<void>
}

export async function createWithdrawals({
  merchant,
  control,
  tally,
  throwDice,
}: MerchantAttackDeps): Promise<Withdrawals> {
  const pick = pickWith(throwDice)
  const { address } = await merchant.get('getPayoutAddress')
  for (const token of TOKENS) {
    await control('POST', `/chains/${CHAIN}/faucet`, { address, token, amount: FUNDS[token] })
  }
  await until(
    'custody is filled',
    async () => (await merchant.get('getPayoutBalances')).balances.length === TOKENS.length,
    { deadlineMs: 120_000, everyMs: 500 },
  )
  let asked = 0
  return {
    step: async () => {
      const externalId = `attack-out-${++asked}`
      const isForeign = throwDice() < 0.85
      const destination = isForeign ? `0x${randomBytes(20).toString('hex')}` : pick(OURS(address))
      const token = pick(TOKENS)
      const amountCents = pick([100, 101, 2500, 99_999, 10_000_000, 99])
      const ask = (amount: number) =>
        merchant.call('createWithdrawal', {
          body: { externalId, chain: CHAIN, token, destination, amountCents: amount },
        })
      const answers = await Promise.all([
        ask(amountCents),
        ask(amountCents),
        ask(amountCents),
        ask(amountCents + 1),
        merchant.call('listWithdrawals', { query: { limit: 100 } }),
      ])
      for (const answer of answers) tally.served('withdrawals', answer)
      const ids = answers
        .slice(0, 4)
        .flatMap(({ data }) => (data !== null && 'id' in data ? data.id : []))
      assert.ok(new Set(ids).size <= 1, `${externalId} made ${new Set(ids).size} withdrawals`)
      if (!isForeign) assert.deepEqual(ids, [], `a withdrawal to ${destination} is refused`)
    },
  }
}

/** Nowhere, and the attacker's own address in our custody. */
const OURS = (custody: string): string[] => [`0x${'0'.repeat(40)}`, custody]
