// GET /merchant/key, and what a bounded key may do with real keys on a real database.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KEY_SCOPES } from '@tradepost/contract'
import { changeKey, getMerchant, type KeyChange, listKeys } from '#identity'
import { newId } from '#kernel/id'
import { type Currency, cents } from '#kernel/money'
import { startAccountServer } from '../testing/account-server.ts'
import { type Client, merchantWithKey, useServer } from '../testing/merchant-server.ts'

const edge = useServer(startAccountServer)

async function given(currency: Currency = 'USD') {
  const { id, key } = await merchantWithKey(edge.db, { currency, balance: 100_000n })
  assert.equal((await getMerchant(edge.db, id)).id, id)
  const client = edge.server.as(key)
  const user = (await client.post('/merchant/users', { externalId: 'u1' })).data
  const [stored] = await listKeys(edge.db, id)
  const bound = (change: KeyChange) =>
    edge.db.transaction((tx) =>
      changeKey(tx, stored?.id ?? assert.fail(), change, edge.server.clock.now()),
    )
  return { client, user, bound }
}

const fund = (client: Client, amount: string, key = newId()) =>
  client.post('/merchant/users/u1/fund', { amount }, { 'idempotency-key': key })

describe('GET /merchant/key', () => {
  it('200: shows a key without bounds as one that may do everything', async () => {
    const { client } = await given()
    const { status, data } = await client.get('/merchant/key')
    assert.equal(status, 200)
    const { id, name, ...bounds } = data
    assert.ok(id && name)
    assert.deepEqual(bounds, {
      scopes: KEY_SCOPES,
      accounts: null,
      expiresAt: null,
      spendLimit: null,
      spentCents: 0,
      allowlist: [],
    })
  })

  it('200: is read by a key of any scope, and by one of some sub-users', async () => {
    const { client, user, bound } = await given()
    await bound({ scopes: ['payout'], accounts: [user.id] })
    const { status, data } = await client.get('/merchant/key')
    assert.deepEqual([status, data.scopes, data.accounts], [200, ['payout'], [user.id]])
  })

  it('403: not on behalf of a sub-user', async () => {
    const { client } = await given()
    const { status, key } = await client.get('/merchant/key', { 'on-behalf-of': 'u1' })
    assert.deepEqual([status, key], [403, 'FORBIDDEN'])
  })
})

describe('a key with a spend limit', () => {
  it('funds what it covers, counts a replay once, and shows what was spent', async () => {
    const { client, bound } = await given()
    await bound({ spendLimit: { amountCents: cents(1000n), window: 'day' } })
    const first = newId()
    assert.equal((await fund(client, '6.00', first)).status, 200)
    assert.equal((await fund(client, '6.00', first)).data.idempotent, true)
    const { status, key, meta } = await fund(client, '4.01')
    assert.deepEqual([status, key], [403, 'SPENDING_LIMIT_REACHED'])
    assert.deepEqual(meta, {
      limit: 'key',
      limitCents: 1000,
      spentCents: 600,
      resetsAt: '2026-11-21T00:00:00.000Z',
    })
    assert.equal((await fund(client, '4.00')).status, 200)
    const { data } = await client.get('/merchant/key')
    assert.deepEqual(data.spendLimit, { amountCents: 1000, window: 'day' })
    assert.equal(data.spentCents, 1000)
    assert.equal((await client.get('/user/wallet', { 'on-behalf-of': 'u1' })).data.balance, 10)
  })

  it('takes money back from a sub-user without counting it', async () => {
    const { client, bound } = await given()
    await fund(client, '50.00')
    await bound({ spendLimit: { amountCents: cents(1n), window: 'month' } })
    const headers = { 'idempotency-key': newId() }
    const defunded = await client.post('/merchant/users/u1/defund', { amount: '50.00' }, headers)
    assert.equal(defunded.status, 200)
    assert.equal((await client.get('/merchant/key')).data.spentCents, 0)
  })
})

describe('limits of a sub-user', () => {
  const patch = (client: Client, limits: unknown) => client.patch('/merchant/users/u1', { limits })

  it('are set one by one, stay when left out, and are lifted by null', async () => {
    const { client } = await given()
    assert.equal((await client.get('/merchant/users/u1')).data.limits, null)
    const first = await patch(client, { perDayCents: 5000 })
    assert.deepEqual(first.data.limits, { perDayCents: 5000 })
    const second = await patch(client, { openTrades: 0, perTradeCents: 100 })
    const all = { perTradeCents: 100, perDayCents: 5000, openTrades: 0 }
    assert.deepEqual(second.data.limits, all)
    const other = await client.patch('/merchant/users/u1', { email: 'a@example.com' })
    assert.deepEqual(other.data.limits, all)
    assert.equal((await patch(client, null)).data.limits, null)
  })

  it('of another form are refused, and nothing is kept', async () => {
    const { client } = await given()
    for (const limits of [
      {},
      { perDayCents: -1 },
      { perDayCents: 1.5 },
      { perDayCents: '100' },
      { perDayCents: null },
      { openTrades: 1_000_001 },
      { perWeekCents: 1 },
      [],
    ]) {
      const { status, key } = await patch(client, limits)
      assert.deepEqual([status, key], [422, 'VALIDATION_FAILED'], JSON.stringify(limits))
    }
    assert.equal((await client.get('/merchant/users/u1')).data.limits, null)
  })

  it('of another merchant’s sub-user are not found', async () => {
    const { user } = await given()
    const { client } = await given()
    const { key } = await client.patch(`/merchant/users/${user.id}`, { limits: { openTrades: 1 } })
    assert.equal(key, 'USER_NOT_FOUND')
  })
})
