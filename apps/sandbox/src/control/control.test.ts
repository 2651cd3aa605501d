import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { buyParams, type Harness, type Json, startHarness } from '../testing/harness.ts'
import { type SmtpAddress, sendMail } from '../testing/smtp-client.ts'

async function offered(h: Harness, token = 'manual00'): Promise<Json> {
  await h.a('buy-for', buyParams(await h.listing('market_a'), { token }))
  h.advance(1_000)
  return (await h.control('GET', '/offers')).items[0]
}

test('state shows both markets, the platform and the balances', async (t) => {
  const h = await startHarness(t)
  const state = await h.control('GET', '/state')
  assert.equal(state.seed, 1)
  assert.equal(state.holdSeconds, 20)
  assert.deepEqual(Object.keys(state.markets), ['market_a', 'market_b'])
  assert.deepEqual(state.platform, { online: true, latencyMs: 0, script: [] })
  assert.deepEqual(state.markets.market_a.accounts, [
    { key: 'sandbox-market-a', balance: '1000000.000', revoked: false },
  ])
})

test('listings are found by words in any order, cheapest first', async (t) => {
  const h = await startHarness(t)
  const { items, total } = await h.control(
    'GET',
    '/markets/market_b/listings?q=ruby%20karambit&limit=2',
  )
  assert.equal(items.length, 2)
  assert.ok(total > 2)
  assert.ok(items[0].priceMills <= items[1].priceMills)
  assert.equal(items[0].phase, 'Ruby')
  assert.equal((await h.control('GET', '/markets/market_b/listings?limit=0')).status, 400)
})

test('a listing is repriced or removed', async (t) => {
  const h = await startHarness(t)
  const { id } = await h.listing('market_a')
  const path = `/markets/market_a/listings/${id}`
  assert.equal((await h.control('PUT', path, { price: '12.34' })).priceMills, 12_340)
  assert.equal((await h.control('PUT', path, { price: 1.5 })).priceMills, 1_500)
  for (const price of ['0', '-1', 'much', 0.1 + 0.2, true]) {
    assert.equal((await h.control('PUT', path, { price })).status, 400, String(price))
  }
  assert.deepEqual(await h.control('DELETE', path), { status: 200, id, removed: true })
  assert.equal((await h.control('DELETE', path)).status, 404)
  assert.equal((await h.control('PUT', path, { price: '1' })).status, 404)
  assert.equal((await h.control('GET', '/markets/market_c/listings')).status, 404)
})

test('an offer is accepted, declined or expired by control, and only once', async (t) => {
  for (const [verb, state] of [
    ['accept', 'accepted'],
    ['decline', 'declined'],
    ['expire', 'expired'],
  ] as const) {
    const h = await startHarness(t)
    const { offerId } = await offered(h)
    assert.equal((await h.control('POST', `/offers/${offerId}/${verb}`)).state, state)
    const again = await h.control('POST', `/offers/${offerId}/${verb}`)
    assert.equal(again.status, 409)
    assert.match(again.error, new RegExp(state))
    assert.equal((await h.control('GET', `/offers/${offerId}`)).state, state)
  }
})

test('a hold is reverted by either side, and other states are not', async (t) => {
  for (const [by, side] of [
    ['user', 'buyer'],
    ['supplier', 'seller'],
  ] as const) {
    const h = await startHarness(t)
    const { offerId } = await offered(h)
    const path = `/offers/${offerId}/revert`
    assert.equal((await h.control('POST', path, { by })).status, 409)
    await h.control('POST', `/offers/${offerId}/accept`)
    assert.equal((await h.control('POST', path, { by: 'absent' })).status, 400)
    assert.equal((await h.control('POST', path)).status, 400)
    const reverted = await h.control('POST', path, { by })
    assert.equal(reverted.state, 'reversed')
    assert.equal(reverted.endedBy, side)
  }
})

test('an offer moved by control does not move again on its own', async (t) => {
  const h = await startHarness(t)
  const { offerId } = await offered(h, 'expire00')
  await h.control('POST', `/offers/${offerId}/accept`)
  h.advance(10_000)
  assert.equal((await h.control('GET', `/offers/${offerId}`)).state, 'accepted')
})

test('offers can be narrowed to a state, and an unknown one is not found', async (t) => {
  const h = await startHarness(t)
  await offered(h)
  assert.equal((await h.control('GET', '/offers?state=active')).items.length, 1)
  assert.equal((await h.control('GET', '/offers?state=settled')).items.length, 0)
  assert.equal((await h.control('GET', '/offers/9393999999')).status, 404)
  assert.equal((await h.control('POST', '/offers/nonsense/accept')).status, 404)
})

test('captured e-mail is listed, newest first', async (t) => {
  const h = await startHarness(t)
  assert.deepEqual((await h.control('GET', '/mail')).items, [])
  const { status: _, ...server } = await h.control('GET', '/mail/server')
  for (const subject of ['one', 'two']) await sendMail(server as SmtpAddress, subject)
  const { items } = await h.control('GET', '/mail')
  assert.deepEqual(
    items.map((mail: Json) => mail.body.subject),
    ['two', 'one'],
  )
  assert.equal((await h.control('GET', `/mail/${items[0].id}/html`)).status, 404)
  await sendMail(server as SmtpAddress, 'three', '<p>Three</p><script>top.alert(1)</script>')
  const [{ id }] = (await h.control('GET', '/mail')).items
  const shown = await h.get(`/control/mail/${id}/html`)
  assert.match(await shown.text(), /<p>Three<\/p>/)
  // As a page of its own, too, it runs nothing and belongs to no origin.
  assert.match(
    shown.headers.get('content-security-policy') ?? '',
    /default-src 'none'.*; sandbox allow-popups allow-popups-to-escape-sandbox$/,
  )
})

test('a malformed control call is refused with an explanation', async (t) => {
  const h = await startHarness(t)
  const wrong: [string, string, unknown][] = [
    ['PUT', '/markets/market_a', { online: 'yes' }],
    ['PUT', '/markets/market_a', { latencyMs: -1 }],
    ['PUT', '/markets/market_a', { speed: 1 }],
    ['PUT', '/markets/market_a', []],
    ['PUT', '/platform', undefined],
    ['POST', '/markets/market_a/script', { next: 'http_500' }],
    ['GET', '/inventories/12', undefined],
  ]
  for (const [method, path, body] of wrong) {
    const refused = await h.control(method as 'PUT', path, body)
    assert.equal(refused.status, 400, `${method} ${path}`)
    assert.match(refused.error, /\.$/)
  }
  const broken = await fetch(`${h.url}/control/platform`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"online":',
  })
  assert.equal(broken.status, 400)
})

test('a script is emptied by DELETE', async (t) => {
  const h = await startHarness(t)
  await h.script('market_a', 'http_500', '502')
  assert.deepEqual((await h.control('DELETE', '/markets/market_a/script')).next, [])
  assert.equal((await h.a('buy-for', buyParams(await h.listing('market_a')))).success, true)
})

test('a path that no party serves is not found', async (t) => {
  const h = await startHarness(t)
  const answer = await h.control('POST', '/lottery/1/win', {})
  assert.equal(answer.status, 404)
  assert.match(answer.error, /no POST/)
})

test('orders are listed at once, with or without an offer, newest first', async (t) => {
  const h = await startHarness(t)
  await h.a('buy-for', buyParams(await h.listing('market_a'), { customId: 'first' }))
  await h.b('buy-one-p2p', buyParams(await h.listing('market_b'), { customId: 'second' }))
  const { items } = await h.control('GET', '/orders')
  assert.deepEqual(
    items.map(({ market, customId, stage, offerId }: Json) => [market, customId, stage, offerId]),
    [
      ['market_b', 'second', 'placed', null],
      ['market_a', 'first', 'placed', null],
    ],
  )
  const narrowed = await h.control('GET', '/orders?market=market_a&limit=5')
  assert.equal(narrowed.items.length, 1)
  assert.equal((await h.control('GET', '/orders?market=market_c')).status, 404)
  assert.equal((await h.control('GET', '/orders?limit=0')).status, 400)
})

test('the markets answer other machines, the control interface does not', async (t) => {
  const h = await startHarness(t, { config: { host: '0.0.0.0' } })
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((one) => one.family === 'IPv4' && !one.internal)
  // A machine without a network has no address from which to try; the rule itself is proven above.
  for (const { address } of addresses) {
    const base = `http://${address}:${h.sandbox.port}`
    assert.equal((await fetch(`${base}/control/state`)).status, 403)
    assert.equal((await fetch(`${base}/market-a/api/v2/prices/USD.json`)).status, 200)
  }
})
