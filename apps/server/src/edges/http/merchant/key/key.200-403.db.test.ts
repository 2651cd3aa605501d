// GET /merchant/key, and what a bounded key may do with real keys on a real database.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KEY_SCOPES } from '@tradepost/contract'
import { refreshRate } from '#fx'
import { changeKey, getMerchant, type KeyChange, listKeys, readSpent } from '#identity'
import { newId } from '#kernel/id'
import { type Currency, cents } from '#kernel/money'
import { ENDS, whileLimitIsHeld } from '../../../../modules/accounts/identity/testing/held-limit.ts'
import { startAccountServer } from '../testing/account-server.ts'
import { type Client, merchantWithKey, useServer } from '../testing/merchant-server.ts'

const edge = useServer(startAccountServer, { poolSize: 20 })

async function given(currency: Currency = 'USD', ofUser: Currency = currency) {
  const { id, key } = await merchantWithKey(edge.db, { currency, balance: 100_000n })
  assert.equal((await getMerchant(edge.db, id)).id, id)
  const client = edge.server.as(key)
  const body = { externalId: 'u1', currency: ofUser }
  const user = (await client.post('/merchant/users', body)).data
  const [stored] = await listKeys(edge.db, id)
  const keyId = stored?.id ?? assert.fail()
  const bound = (change: KeyChange) =>
    edge.db.transaction((tx) => changeKey(tx, keyId, change, edge.server.clock.now()))
  return { client, user, keyId, bound }
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

/** Of the merchant and of the sub-user, and what 10.00 of the merchant's count in US cents at this rate. */
const PAIRS = [
  ['USD', 'USD', 1000n],
  ['USD', 'EUR', 1000n],
  ['EUR', 'EUR', 1157n],
  ['EUR', 'USD', 1157n],
] as const
const USD_PER_EUR = 1_157_400n

describe('fundings under one spend limit', () => {
  async function limited(of: (typeof PAIRS)[number], amountCents: bigint) {
    const [merchant, subUser] = of
    const { clock } = edge.server
    const asOf = clock.now().toISOString().slice(0, 10)
    const source = { fetch: async () => ({ usdPerEurMicros: USD_PER_EUR, asOf }) }
    await refreshRate({ db: edge.db, clock, source })
    // Processes remember a rate for five seconds.
    clock.advance(5000)
    const one = await given(merchant, subUser)
    await one.bound({ spendLimit: { amountCents: cents(amountCents), window: 'day' } })
    return one
  }
  const balanceOf = async (client: Client): Promise<number> =>
    (await client.get('/user/wallet', { 'on-behalf-of': 'u1' })).data.balance
  const spentOf = async (keyId: string) =>
    (await readSpent(edge.db, [keyId], edge.server.clock.now())).get(keyId)

  for (const pair of PAIRS) {
    const [merchant, subUser, inUsd] = pair
    const name = `from ${merchant} to ${subUser}`

    it(`${name}: of ten that race for what is left for one, one moves money`, async () => {
      const { client, keyId } = await limited(pair, 2n * inUsd - 1n)
      const answers = await Promise.all(Array.from({ length: 10 }, () => fund(client, '10')))
      const passed = answers.filter(({ status }) => status === 200)
      const refused = answers.filter(({ key }) => key === 'SPENDING_LIMIT_REACHED')
      assert.deepEqual([passed.length, refused.length], [1, 9])
      assert.equal(await spentOf(keyId), inUsd)
      const { data } = await client.get('/merchant')
      assert.equal(data.wallets.spot.balance, 990)
    })

    it(`${name}: one waits for the commit that holds the limit, and has what that leaves`, async () => {
      for (const ends of ENDS) {
        const { client, keyId } = await limited(pair, 2n * inUsd - 1n)
        const other = await given(merchant, subUser)
        const held = { keyId, cents: cents(inUsd), at: edge.server.clock.now(), ends }
        const { status } = await whileLimitIsHeld(edge.db, held, {
          begin: () => fund(client, '10'),
          // It holds nothing while it waits that another merchant needs.
          meanwhile: async () => assert.equal((await fund(other.client, '10')).status, 200),
        })
        assert.equal(status, ends === 'commits' ? 403 : 200)
        assert.equal((await balanceOf(client)) > 0, ends === 'rolls back')
        assert.equal(await spentOf(keyId), inUsd)
      }
    })
  }
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
