import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '#kernel/id'
import { startAccountServer } from '../testing/account-server.ts'
import { type Client, merchantWithKey, useServer } from '../testing/merchant-server.ts'

const edge = useServer(startAccountServer, { poolSize: 20 })

const signIn = async (balance = 0n): Promise<Client> =>
  edge.server.as((await merchantWithKey(edge.db, { balance })).key)

describe('POST /merchant/users', () => {
  it('creates a sub-user from nothing at all', async () => {
    const client = await signIn()
    const { status, data } = await client.post('/merchant/users', {})
    assert.equal(status, 200)
    assert.deepEqual(data, {
      id: data.id,
      email: null,
      platformId: null,
      externalId: null,
      status: 'active',
      feeBps: null,
      createdAt: '2026-11-20T12:00:00.000Z',
      currency: 'USD',
      idempotent: false,
    })
  })

  it('replays under a known externalId, whatever the rest of the body says', async () => {
    const client = await signIn()
    const first = await client.post('/merchant/users', { externalId: 'u1', currency: 'EUR' })
    const again = await client.post('/merchant/users', { externalId: 'u1', email: 'x@example.com' })
    assert.deepEqual(again.data, { ...first.data, idempotent: true })
    assert.equal(again.status, first.status)
  })

  it('of 32 at once one is new', async () => {
    const client = await signIn()
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => client.post('/merchant/users', { externalId: 'u1' })),
    )
    assert.equal(new Set(answers.map(({ data }) => data.id)).size, 1)
    assert.equal(answers.filter(({ data }) => !data.idempotent).length, 1)
  })

  it('409: with a deleted one’s externalId is USER_DELETED', async () => {
    const client = await signIn()
    await client.post('/merchant/users', { externalId: 'u1' })
    await client.delete('/merchant/users/u1')
    const { status, key } = await client.post('/merchant/users', { externalId: 'u1' })
    assert.deepEqual([status, key], [409, 'USER_DELETED'])
  })

  it('422: an external id with a space at an end, which a header would lose', async () => {
    const client = await signIn()
    await client.post('/merchant/users', { externalId: 'bob' })
    for (const externalId of ['bob ', ' bob', ' ']) {
      const made = await client.post('/merchant/users', { externalId })
      assert.deepEqual([made.status, made.key], [422, 'VALIDATION_FAILED'])
      const renamed = await client.patch('/merchant/users/bob', { externalId })
      assert.deepEqual([renamed.status, renamed.key], [422, 'VALIDATION_FAILED'])
    }
    const spaced = await client.post('/merchant/users', { externalId: 'bob b' })
    assert.equal(spaced.status, 200)
  })

  it('422: refuses what has not the contract’s form', async () => {
    const client = await signIn()
    for (const body of [
      { email: 'absent' },
      { platformId: '123' },
      { externalId: '' },
      { externalId: 'x'.repeat(129) },
      { externalId: 'a\u0000b' },
      { currency: 'GBP' },
      { feeBps: 1 },
      [],
      null,
    ]) {
      const { status, key } = await client.post('/merchant/users', body)
      assert.deepEqual([status, key], [422, 'VALIDATION_FAILED'], JSON.stringify(body))
    }
  })
})

describe('GET /merchant/users/{id}', () => {
  it('answers by id and by externalId, with the wallet', async () => {
    const client = await signIn()
    const { data: created } = await client.post('/merchant/users', { externalId: 'ü 1/x' })
    for (const reference of [created.id, encodeURIComponent('ü 1/x')]) {
      const { status, data } = await client.get(`/merchant/users/${reference}`)
      assert.equal(status, 200)
      assert.equal(data.id, created.id)
      assert.deepEqual(data.wallet, { type: 'spot', status: 'active', currency: 'USD', balance: 0 })
    }
  })

  it('404: another merchant’s, and an unknown one, are USER_NOT_FOUND on every route', async () => {
    const [client, otherTenant] = [await signIn(1000n), await signIn(1000n)]
    const { data } = await otherTenant.post('/merchant/users', { externalId: 'theirs' })
    for (const id of [data.id, 'theirs', newId(), 'absent']) {
      const base = `/merchant/users/${id}`
      const money = { 'idempotency-key': newId() }
      const answers = await Promise.all([
        client.get(base),
        client.patch(base, { email: 'a@example.com' }),
        client.delete(base),
        client.post(`${base}/suspend`),
        client.post(`${base}/reactivate`),
        client.post(`${base}/fund`, { amount: '1' }, money),
        client.post(`${base}/defund`, { amount: '1' }, money),
        client.get(`${base}/ledger`),
        client.get('/user/wallet', { 'on-behalf-of': id }),
      ])
      for (const { status, key } of answers)
        assert.deepEqual([status, key], [404, 'USER_NOT_FOUND'])
    }
    assert.equal((await otherTenant.get('/merchant/users/theirs')).data.status, 'active')
  })
})

describe('PATCH /merchant/users/{id}', () => {
  it('changes what is given', async () => {
    const client = await signIn()
    const { data: created } = await client.post('/merchant/users', {
      externalId: 'u1',
      email: 'a@example.com',
    })
    const { status, data } = await client.patch('/merchant/users/u1', {
      externalId: 'u2',
      platformId: '76561198000000001',
    })
    assert.equal(status, 200)
    assert.deepEqual(
      [data.id, data.externalId, data.platformId, data.email],
      [created.id, 'u2', '76561198000000001', 'a@example.com'],
    )
    assert.equal((await client.get('/merchant/users/u1')).key, 'USER_NOT_FOUND')
  })

  it('409: to a taken externalId is EXTERNAL_ID_TAKEN', async () => {
    const client = await signIn()
    await client.post('/merchant/users', { externalId: 'u1' })
    await client.post('/merchant/users', { externalId: 'u2' })
    const { status, key } = await client.patch('/merchant/users/u1', { externalId: 'u2' })
    assert.deepEqual([status, key], [409, 'EXTERNAL_ID_TAKEN'])
  })

  it('422: of what may not be changed is refused', async () => {
    const client = await signIn()
    await client.post('/merchant/users', { externalId: 'u1' })
    for (const body of [{ status: 'deleted' }, { feeBps: 0 }, { currency: 'EUR' }]) {
      assert.equal((await client.patch('/merchant/users/u1', body)).key, 'VALIDATION_FAILED')
    }
  })
})

describe('suspend and reactivate', () => {
  it('answer the sub-user, twice as once, and reads go on', async () => {
    const client = await signIn()
    await client.post('/merchant/users', { externalId: 'u1' })
    for (let i = 0; i < 2; i++) {
      const { status, data } = await client.post('/merchant/users/u1/suspend')
      assert.deepEqual([status, data.status, data.wallet.status], [200, 'suspended', 'suspended'])
    }
    assert.equal((await client.get('/user/wallet', { 'on-behalf-of': 'u1' })).status, 200)
    for (let i = 0; i < 2; i++) {
      const { data } = await client.post('/merchant/users/u1/reactivate')
      assert.deepEqual([data.status, data.wallet.status], ['active', 'active'])
    }
  })

  it('a suspended sub-user is still funded', async () => {
    const client = await signIn(1000n)
    await client.post('/merchant/users', { externalId: 'u1' })
    await client.post('/merchant/users/u1/suspend')
    const { status } = await client.post(
      '/merchant/users/u1/fund',
      { amount: '5' },
      { 'idempotency-key': 'k' },
    )
    assert.equal(status, 200)
  })
})

describe('DELETE /merchant/users/{id}', () => {
  it('answers id and status, once', async () => {
    const client = await signIn()
    const { data: created } = await client.post('/merchant/users', { externalId: 'u1' })
    const { status, data } = await client.delete('/merchant/users/u1')
    assert.equal(status, 200)
    assert.deepEqual(data, { id: created.id, status: 'deleted' })
    assert.equal((await client.delete(`/merchant/users/${created.id}`)).key, 'USER_NOT_FOUND')
  })

  it('409: with money is USER_HAS_FUNDS_OR_OPEN_TRADES, and possible when it is gone', async () => {
    const client = await signIn(1000n)
    await client.post('/merchant/users', { externalId: 'u1' })
    await client.post('/merchant/users/u1/fund', { amount: '5' }, { 'idempotency-key': 'k' })
    const { status, key } = await client.delete('/merchant/users/u1')
    assert.deepEqual([status, key], [409, 'USER_HAS_FUNDS_OR_OPEN_TRADES'])
    await client.post('/merchant/users/u1/defund', { amount: '5' }, { 'idempotency-key': 'k' })
    assert.equal((await client.delete('/merchant/users/u1')).status, 200)
  })
})

describe('GET /merchant/users', () => {
  it('pages with balances, newest first', async () => {
    const client = await signIn(1000n)
    for (const externalId of ['a', 'b', 'c']) {
      edge.server.clock.advance(5)
      await client.post('/merchant/users', { externalId })
    }
    await client.post('/merchant/users/b/fund', { amount: '2.50' }, { 'idempotency-key': 'k' })
    const { data } = await client.get('/merchant/users?limit=2')
    assert.deepEqual(
      data.items.map((item: { externalId: string; balance: number; currency: string }) => [
        item.externalId,
        item.balance,
        item.currency,
      ]),
      [
        ['c', 0, 'USD'],
        ['b', 2.5, 'USD'],
      ],
    )
    assert.deepEqual([data.total, data.page, data.limit, data.totalPages], [3, 1, 2, 2])
    const beyond = await client.get('/merchant/users?limit=2&page=9')
    assert.deepEqual([beyond.status, beyond.data.items], [200, []])
  })

  it('422: refuses pages, limits and filters that are none', async () => {
    const client = await signIn()
    for (const query of [
      'page=0',
      'limit=0',
      'limit=101',
      'limit=x',
      'status=gone',
      'q=',
      'sort=x',
    ]) {
      const { status, key } = await client.get(`/merchant/users?${query}`)
      assert.deepEqual([status, key], [422, 'VALIDATION_FAILED'], query)
    }
  })
})
