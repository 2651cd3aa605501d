// Our accounts at the markets, as administrators see and switch them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { server } = await givenDashboardServer()
const admin = server.browser()
await admin.logIn((await server.person('administrator')).email)

const ours = async () => {
  const { data } = await admin.call('GET', 'admin/market-accounts')
  return data.find(({ market }: { market: string }) => market === 'market_b')
}
const PATH = 'admin/markets/market_b/accounts/main'

it('an account is drained with a reason and enabled again, and each is in the audit log', async () => {
  const { account, enabled, placedPerMinute } = await ours()
  assert.deepEqual([account, enabled, placedPerMinute], ['main', true, 0])
  const drained = await admin.call('PUT', PATH, { enabled: false, reason: 'a new card' })
  assert.equal(drained.status, 200, drained.key)
  assert.equal((await ours()).enabled, false)
  const { data } = await admin.call('GET', 'admin/audit-log')
  assert.deepEqual(
    [data.items[0].act, data.items[0].changes],
    ['market_account.drain', { state: { from: 'enabled', to: 'draining' } }],
  )
  await admin.call('PUT', PATH, { enabled: true, reason: 'done' })
  assert.equal((await ours()).enabled, true)
})

it('an account that is not there is NOT_FOUND, and a merchant switches none', async () => {
  const unknown = 'admin/markets/market_b/accounts/unknown'
  const refused = await admin.call('PUT', unknown, { enabled: false, reason: 'x' })
  assert.equal(refused.key, 'NOT_FOUND')
  const merchant = await server.loggedIn()
  const forbidden = await merchant.call('PUT', PATH, { enabled: false, reason: 'x' })
  assert.equal(forbidden.status, 403)
  assert.equal((await ours()).enabled, true)
})
