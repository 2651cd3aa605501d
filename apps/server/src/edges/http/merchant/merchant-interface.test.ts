import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchantRoutes } from '@tradepost/contract'
import { MERCHANT_ID, resolveAccount, startTestServer } from '../shared/testing/server.ts'
import { operation, tradingOperation } from './operation.ts'

const WALLET = { currency: 'USD', balance: 12.5 } as const

/** A server whose look-ups of accounts are noted: `own`, or the sub-user that was asked for. */
async function startNoting() {
  const lookedUp: string[] = []
  const accounts: unknown[] = []
  const server = await startTestServer({
    operations: [
      operation(merchantRoutes.getWallet, async ({ caller }) => {
        accounts.push(caller.account)
        return WALLET
      }),
      tradingOperation(merchantRoutes.getSellInventory, async () => ({ groups: [] }) as never),
      operation(merchantRoutes.deleteTradeUrl, async () => ({ id: 'x', deleted: true }) as never),
    ],
    resolveAccount: (merchant, reference) => {
      lookedUp.push(reference ?? 'own')
      return resolveAccount(merchant, reference)
    },
  })
  return { server, lookedUp, accounts }
}

test('a merchant that reads for itself is as its key says: its account is not looked up', async (t) => {
  const { server, lookedUp, accounts } = await startNoting()
  t.after(() => server.close())
  assert.equal((await server.call('GET', '/user/wallet')).status, 200)
  assert.deepEqual(accounts, [
    {
      ...{ id: MERCHANT_ID, tenantId: MERCHANT_ID, role: 'merchant', status: 'active' },
      ...{ currency: 'USD', houseFeeBps: 300, merchantBuyFeeBps: 0, merchantSellFeeBps: 0 },
    },
  ])
  assert.deepEqual(lookedUp, [])
})

test('a sub-user is looked up each time, and the merchant when it changes something or trades', async (t) => {
  const { server, lookedUp } = await startNoting()
  t.after(() => server.close())
  const alice = { headers: { 'on-behalf-of': 'alice' } }
  await server.call('GET', '/user/wallet', alice)
  await server.call('GET', '/user/wallet', alice)
  assert.deepEqual(lookedUp.splice(0), ['alice', 'alice'])
  await server.call('DELETE', '/user/settings/tradeurls/019aa000-0000-7000-8000-000000000001')
  assert.deepEqual(lookedUp.splice(0), ['own'])
  await server.call('GET', '/market/sell/inventory')
  assert.deepEqual(lookedUp, ['own'])
})
