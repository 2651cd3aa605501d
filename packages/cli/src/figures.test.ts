// What commands show of statements, quotes and market orders.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { refusal, startScripted, success } from '../../sdk/src/testing/scripted-server.ts'
import { testEnvironment } from './testing/test-environment.ts'

const KEY = 'tp_test_0123456789'

it('a statement shows what a month began and ended with, and what moved', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  const rows = [{ type: 'deposit_credit', count: 2, credit: 12.5, debit: 0 }]
  const fees = { house: 0, merchant: 0 }
  const spot = { wallet: 'spot', currency: 'USD', opening: 1, closing: 13.5, rows, fees }
  server.script(
    success({ month: '2026-10', number: '2026-10-0003', closed: true, wallets: [spot] }),
  )
  assert.equal(await one.run('statement', '--month', '2026-10', '--user', 'bob'), 0)
  const text = one.out.join('\n')
  assert.match(text, /^2026-10, closed as 2026-10-0003\n/)
  assert.match(text, /^deposit_credit +2 +12\.50 USD +0\.00 USD *$/m)
  assert.match(text, /^opening +1\.00 USD$/m)
  assert.match(text, /^closing +13\.50 USD$/m)
  assert.equal(server.requests[0]?.url, '/merchant/statements?month=2026-10&subUserId=bob')
  assert.match(text, /service 0\.00 USD, merchant 0\.00 USD$/m)
  const env = { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl }
  using partner = testEnvironment({ env: { ...env, TRADEPOST_INTERFACE: 'partner' } })
  server.script(success({ month: '2026-10', number: null, closed: false, wallets: [spot] }))
  assert.equal(await partner.run('statement'), 0)
  assert.match(partner.out.join('\n'), /service 0\.00 USD, partner 0\.00 USD$/m)
})

it('a quote is shown in units of the token, whose decimals differ by chain', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  for (const [args, amountWei, feeWei, shown] of [
    [['--token', 'USDC'], '15000000', '123456', ['15.00 USDC on base', '0.123456 USDC']],
    [
      ['--token', 'USDT', '--chain', 'bsc'],
      ...['15000000000000000000', '20000000000000000'],
      ['15.00 USDT on bsc', '0.02 USDT'],
    ],
    [
      ['--token', 'NATIVE', '--chain', 'bsc'],
      ...['25000000000000000', '1'],
      ['0.025 BNB on bsc', '0.000000000000000001 BNB'],
    ],
  ] as const) {
    one.clear()
    server.script(success({ amountWei, feeWei, feeCents: 13, validForSeconds: 3 }))
    assert.equal(await one.run('payouts', 'quote', '15', ...args), 0)
    const [receives, fee, valid] = one.out
    assert.match(receives ?? '', new RegExp(`^receives +${shown[0]}$`))
    assert.match(fee ?? '', new RegExp(`^fee +${shown[1]}, 0\\.13 USD$`))
    assert.match(valid ?? '', /^valid +3 s, then there is a new one$/)
  }
})

it('a market order is created under an external id, shown with its pause, changed and canceled', async () => {
  await using server = await startScripted()
  using one = testEnvironment({ env: { TRADEPOST_API_KEY: KEY, TRADEPOST_URL: server.baseUrl } })
  const order = {
    ...{
      id: 'o',
      externalId: 'w',
      itemId: 'i',
      marketHashName: 'AK-47 | Redline',
      status: 'paused',
    },
    ...{ pausedReason: 'INSUFFICIENT_BALANCE', maxPrice: 12.5, currency: 'USD', quantity: 2 },
    ...{ filled: 1, pending: 0, filters: { maxWear: 0.2 }, tradeUrl: null, trades: ['t'] },
    ...{ expiresAt: '2026-12-24T12:00:00.000Z' },
  }
  server.script(
    success(order),
    success({ items: [order], nextCursor: null }),
    ...[success(order), success(order)],
    // By the external id: it cannot be an id, and is looked for.
    ...[refusal(422, 'VALIDATION_FAILED'), success({ items: [order], nextCursor: null })],
    success({ ...order, status: 'cancelled', pausedReason: null }),
    ...[refusal(404, 'MARKET_ORDER_NOT_FOUND'), success({ items: [], nextCursor: null })],
  )
  const wanted = ['--max-price', '12.50', '--quantity', '2', '--max-wear', '0.2', '--yes']
  assert.equal(await one.run('market-orders', 'create', 'i', '--external-id', 'w', ...wanted), 0)
  assert.equal(await one.run('market-orders', 'list', '--status', 'paused'), 0)
  assert.equal(await one.run('market-orders', 'change', 'o', '--quantity', '3'), 0)
  assert.equal(await one.run('market-orders', 'cancel', 'w'), 0)
  assert.equal(server.requests.at(-2)?.url, '/market/orders?externalId=w&limit=1')
  assert.equal(server.requests.at(-1)?.url, '/market/orders/o/cancel')
  assert.equal(await one.run('market-orders', 'show', 'none'), 3)
  assert.match(one.notes.join('\n'), /no market order with the id or external id none\./)
  const text = one.out.join('\n')
  assert.match(text, /paused: INSUFFICIENT_BALANCE/)
  assert.match(text, /12\.50 USD +1 of 2/)
  assert.match(text, /cancelled/)
  const [created, , , changed] = server.requests.map(({ body }) => JSON.parse(String(body || null)))
  const body = { externalId: 'w', itemId: 'i', maxPrice: '12.50', quantity: 2, maxWear: 0.2 }
  assert.deepEqual(created, body)
  assert.deepEqual(changed, { quantity: 3 })
})
