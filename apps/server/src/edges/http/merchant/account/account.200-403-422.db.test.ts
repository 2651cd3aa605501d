import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cents } from '#kernel/money'
import { startAccountServer } from '../testing/account-server.ts'
import { give, merchantWithKey, useServer } from '../testing/merchant-server.ts'

const edge = useServer(startAccountServer)

describe('GET /merchant', () => {
  it('answers the profile with both wallets', async () => {
    const merchant = await merchantWithKey(edge.db, { balance: 12_345n })
    await give(edge.db, merchant, cents(7n), 'earnings')
    const { status, data } = await edge.server.as(merchant.key).get('/merchant')
    assert.equal(status, 200)
    assert.deepEqual(data, {
      id: merchant.id,
      email: merchant.email,
      emailVerified: true,
      country: 'DE',
      roles: ['user', 'merchant'],
      twoFactorEnabled: false,
      twoFactorMethod: null,
      feeBps: 300,
      buyFeeBps: 200,
      sellFeeBps: 150,
      childDefaultFeeBps: null,
      wallets: {
        spot: { currency: 'USD', balance: 123.45 },
        earnings: { currency: 'USD', balance: 0.07 },
      },
      createdAt: '2026-11-20T12:00:00.000Z',
    })
  })

  it('403: is not for sub-users', async () => {
    const merchant = await merchantWithKey(edge.db)
    const client = edge.server.as(merchant.key)
    await client.post('/merchant/users', { externalId: 'u1' })
    for (const path of ['/merchant', '/merchant/fees', '/merchant/stats', '/merchant/ledger']) {
      const { status, key } = await client.get(path, { 'on-behalf-of': 'u1' })
      assert.deepEqual([status, key], [403, 'FORBIDDEN'])
    }
  })
})

describe('GET /merchant/fees', () => {
  it('without a default for children the global default holds', async () => {
    const merchant = await merchantWithKey(edge.db)
    const { data } = await edge.server.as(merchant.key).get('/merchant/fees')
    assert.deepEqual(data, {
      buyFeeBps: 200,
      sellFeeBps: 150,
      childDefaultFeeBps: null,
      globalDefaultFeeBps: 500,
      effectiveChildFeeBps: 500,
      fxSpreadBps: 50,
    })
  })

  it('the merchant’s default for children goes before the global one, zero too', async () => {
    for (const childDefaultFeeBps of [450, 0]) {
      const merchant = await merchantWithKey(edge.db, { fees: { childDefaultFeeBps } })
      const { data } = await edge.server.as(merchant.key).get('/merchant/fees')
      assert.equal(data.childDefaultFeeBps, childDefaultFeeBps)
      assert.equal(data.effectiveChildFeeBps, childDefaultFeeBps)
    }
  })
})

describe('GET /merchant/wallets', () => {
  it('lists spot and earnings', async () => {
    const merchant = await merchantWithKey(edge.db, { currency: 'EUR', balance: 500n })
    const { data } = await edge.server.as(merchant.key).get('/merchant/wallets')
    assert.deepEqual(
      data.map(({ walletId, ...wallet }: { walletId: string }) => {
        assert.match(walletId, /^[0-9a-f-]{36}$/)
        return wallet
      }),
      [
        { type: 'spot', currency: 'EUR', balance: 5 },
        { type: 'earnings', currency: 'EUR', balance: 0 },
      ],
    )
  })
})

describe('GET /merchant/stats', () => {
  it('of a merchant without trades is zeros, with every sub-user that is there', async () => {
    const merchant = await merchantWithKey(edge.db, { balance: 10_000n })
    const client = edge.server.as(merchant.key)
    const one = (await client.post('/merchant/users', { externalId: 'u1', email: 'a@example.com' }))
      .data
    await client.post('/merchant/users', { externalId: 'gone' })
    await client.delete('/merchant/users/gone')
    await client.post('/merchant/users/u1/fund', { amount: '25' }, { 'idempotency-key': 'k' })
    const { data } = await client.get('/merchant/stats')
    assert.deepEqual(data, {
      totals: {
        tradeCount: 0,
        gmv: 0,
        gmvCents: 0,
        feesEarnedCents: 0,
        feesEarned: 0,
        spotBalance: 75,
        earningsBalance: 0,
        currency: 'USD',
      },
      bySubUser: [
        {
          subUserId: one.id,
          email: 'a@example.com',
          externalId: 'u1',
          tradeCount: 0,
          gmvCents: 0,
          gmv: 0,
          balance: 25,
          feesContributedCents: 0,
        },
      ],
      byStatus: {},
    })
  })

  it('422: a time that is none is refused', async () => {
    const merchant = await merchantWithKey(edge.db)
    for (const query of [
      'from=yesterday',
      'to=2026-13-01T00:00:00Z',
      'since=2026-01-01T00:00:00Z',
    ]) {
      const { status, key } = await edge.server.as(merchant.key).get(`/merchant/stats?${query}`)
      assert.deepEqual([status, key], [422, 'VALIDATION_FAILED'])
    }
  })
})
