// Chain deposits through the whole service: an address over HTTP, a payment on a real node, the credit in the
// wallet and its events.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { aBuyer, balanceOf, centsOf } from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack

before(async () => {
  const database = await testDatabase({ poolSize: 2 })
  stack = await startStack(database, {
    SANDBOX_CHAINS: 'ethereum',
    // Blocks come by `mine` alone.
    SANDBOX_BLOCK_MS: '0',
  })
})
after(() => stack.close())

const chain = async (path: string, body: object): Promise<void> => {
  const response = await fetch(`${stack.demo.sandboxUrl}/control/chains/ethereum/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(response.status, 200, await response.text())
}

it('a payment to an account’s address is credited after three blocks, with its events in order', async () => {
  const behalf = await aBuyer(stack.merchant, 'chain-depositor')
  const [given, again] = await Promise.all([
    stack.merchant.get('getCryptoAddress', { behalf }),
    stack.merchant.get('getCryptoAddress', { behalf }),
  ])
  assert.equal(given.address, again.address)
  const before = centsOf(await balanceOf(stack.merchant, behalf))
  await chain('faucet', { address: given.address, token: 'USDC', amount: '25.509999' })
  await chain('mine', { blocks: 3 })
  await until('the deposit is credited', async () => {
    const balance = centsOf(await balanceOf(stack.merchant, behalf))
    return balance - before === 2550
  })
  const { items: deposits } = await stack.merchant.get('listDeposits', { behalf, query: {} })
  assert.deepEqual(
    deposits.map(({ method, status, chain, token, creditedAmount, address, confirmations }) => ({
      ...{ method, status, chain, token, creditedAmount, address },
      isFinal: (confirmations ?? 0) >= 3,
    })),
    [
      {
        ...{ method: 'crypto', status: 'completed', chain: 'ethereum', token: 'USDC' },
        ...{ creditedAmount: 25.5, address: given.address, isFinal: true },
      },
    ],
  )
})
