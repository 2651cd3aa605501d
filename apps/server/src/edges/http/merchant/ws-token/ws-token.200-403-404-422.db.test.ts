import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useServer } from '../testing/merchant-server.ts'
import {
  givenSuspended,
  givenTrader,
  refusalOf,
  startTradingServer,
} from '../testing/trading-server.ts'

const edge = useServer(startTradingServer)

const PATH = '/auth/ws-token'

it('issues a token for the market that lives for five minutes', async () => {
  const { client, id } = await givenTrader(edge)
  const { status, data } = await client.post(PATH, {})
  assert.equal(status, 200)
  const { token, scopes, expiresAt, expiresIn } = data
  const now = edge.server.clock.now().getTime()
  assert.deepEqual([scopes, expiresIn], [['market'], 300])
  assert.equal(new Date(expiresAt).getTime(), now + 300_000)
  const claims = edge.server.tokens.read(token, edge.server.clock.now())
  assert.deepEqual([claims?.accountId, claims?.tenantId, claims?.scopes], [id, id, ['market']])
  assert.equal(edge.server.tokens.read(token, new Date(now + 300_000)), null)
})

it('issues one for a sub-user with the scopes asked for', async () => {
  const { client, id } = await givenTrader(edge)
  const { data: subUser } = await client.post('/merchant/users', { externalId: 'u1' })
  const { data } = await client.post(PATH, { scopes: ['user'] }, { 'on-behalf-of': 'u1' })
  const claims = edge.server.tokens.read(data.token, edge.server.clock.now())
  assert.deepEqual(
    [claims?.accountId, claims?.tenantId, claims?.scopes],
    [subUser.id, id, ['user']],
  )
})

it('403: a suspended account has no sockets', async () => {
  const trader = await givenTrader(edge)
  const refused = await trader.client.post(PATH, {}, await givenSuspended(trader))
  assert.deepEqual(refusalOf(refused), [403, 'ACCOUNT_SUSPENDED'])
})

it('404: an unknown sub-user', async () => {
  const { client } = await givenTrader(edge)
  const refused = await client.post(PATH, {}, { 'on-behalf-of': 'absent' })
  assert.deepEqual(refusalOf(refused), [404, 'USER_NOT_FOUND'])
})

it('422: a scope that does not exist, none, or one twice', async () => {
  const { client } = await givenTrader(edge)
  for (const scopes of [['admin'], [], ['market', 'market'], 'market']) {
    const refused = await client.post(PATH, { scopes })
    assert.deepEqual(refusalOf(refused), [422, 'VALIDATION_FAILED'], JSON.stringify(scopes))
  }
})
