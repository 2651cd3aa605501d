import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useServer } from '../testing/merchant-server.ts'
import { givenTrader, refusalOf, startTradingServer } from '../testing/trading-server.ts'

const edge = useServer(startTradingServer)

const PATH = '/merchant/limits'

it('answers the budget of the tier, the caps of the key and the cost of each route', async () => {
  const { client } = await givenTrader(edge, { hasTradeUrl: false })
  const before = await client.get(PATH)
  assert.equal(before.status, 200)
  const { tier, budget, caps, costs } = before.data
  assert.equal(tier, 'enterprise')
  assert.equal(budget.limit, budget.used + budget.remaining)
  assert.ok(caps.length > 0)
  assert.ok(caps.every(({ used }: { used: number }) => used === 0))
  const buy = costs.find(({ operation }: { operation: string }) => operation === 'buy')
  assert.deepEqual([buy.method, buy.path, buy.cost], ['POST', '/market/buy', 5])

  await client.post('/market/buy', { items: [{ listingId: '1', maxPrice: '1.00' }] })
  const after = (await client.get(PATH)).data
  assert.equal(after.budget.used - budget.used, 5 + costOf(costs, 'getMerchantLimits'))
  const cap = after.caps.find(({ policy }: { policy: string }) => policy === 'market-buy')
  assert.deepEqual([cap.used, cap.remaining], [1, cap.limit - 1])
})

const costOf = (costs: readonly { operation: string; cost: number }[], id: string): number =>
  costs.find(({ operation }) => operation === id)?.cost ?? 0

it('403: on behalf of a sub-user', async () => {
  const { client } = await givenTrader(edge)
  await client.post('/merchant/users', { externalId: 'u1' })
  const refused = await client.get(PATH, { 'on-behalf-of': 'u1' })
  assert.deepEqual(refusalOf(refused), [403, 'FORBIDDEN'])
})
