import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyParams, type Harness, type Json, KEY_B, startHarness } from '../../testing/harness.ts'

test('user shows the wallet in thousandths', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_b')
  await h.b('buy-one-p2p', buyParams(listing))
  const { success, user } = await h.b('user')
  assert.equal(success, true)
  assert.equal(user.wallet, 1_000_000_000 - listing.priceMills)
  for (const field of ['id', 'id64', 'name', 'sell_fees', 'can_p2p', 'tradelink']) {
    assert.ok(field in user, field)
  }
})

test('a wrong key is refused', async (t) => {
  const h = await startHarness(t)
  const refused = { success: false, msg: 'wrong api' }
  assert.deepEqual(await h.b('user', { api: 'wrong' }), refused)
  assert.deepEqual(await h.json('/market-b/v1/user'), refused)
})

const link = (token: string, partner = 4242) =>
  `https://steamcommunity.com/tradeoffer/new/?partner=${partner}&token=${token}`

async function check(h: Harness, tradelink: string): Promise<Json> {
  const response = await fetch(`${h.url}/market-b/v1/check-tradelink?api=${KEY_B}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tradelink }),
  })
  return (await response.json()) as Json
}

test('a usable trade link is a success without info', async (t) => {
  const h = await startHarness(t)
  assert.deepEqual(await check(h, link('accept00')), {
    success: true,
    link: link('accept00'),
    token: 'accept00',
    steamid32: '4242',
    steamid64: '76561197960269970',
  })
})

test('an unusable link is reported by info next to a success, or by a refusal', async (t) => {
  const h = await startHarness(t)
  const even = await check(h, link('banned00', 10))
  assert.equal(even.success, true)
  assert.equal(even.info, 'User has VACBAN or Game Ban')
  const odd = await check(h, link('privat00', 11))
  assert.equal(odd.success, false)
  assert.match(odd.msg, /^We couldn't validate your trade link/)
  assert.equal((await check(h, 'no link')).msg, 'Invalid tradelink')
})

test('unknown project ids are absent, and none known is an empty list', async (t) => {
  const h = await startHarness(t)
  await h.b('buy-one-p2p', buyParams(await h.listing('market_b')))
  const some = await h.b('check-many-project-id', { id: ['absent', 'order-1'] })
  assert.deepEqual(
    some.trades.map((trade: Json) => trade.project_id),
    ['order-1'],
  )
  const none = await h.b('check-many-project-id', { id: 'absent' })
  assert.equal(none.success, true)
  assert.deepEqual(none.trades, [])
})

test('a trade is found by the id in the response to the purchase', async (t) => {
  const h = await startHarness(t)
  const { id } = await h.b('buy-one-p2p', buyParams(await h.listing('market_b')))
  const { trades } = await h.b('check-many-steam', { id: [id, 1, 'x'] })
  assert.equal(trades.length, 1)
  assert.equal(trades[0].id, id)
})

test('more than a hundred ids are refused', async (t) => {
  const h = await startHarness(t)
  const ids = Array.from({ length: 101 }, (_, index) => index)
  assert.equal((await h.b('check-many-project-id', { id: ids })).success, false)
  assert.equal((await h.b('check-many-steam', { id: ids })).success, false)
})

test('history lists the newest first and can be narrowed to one buyer', async (t) => {
  const h = await startHarness(t)
  for (const [customId, partner] of [
    ['one', 1001],
    ['two', 1002],
  ] as const) {
    await h.b('buy-one-p2p', buyParams(await h.listing('market_b'), { customId, partner }))
  }
  const { history } = await h.b('history')
  assert.deepEqual(
    history.map((row: Json) => row.partner),
    [1002, 1001],
  )
  const narrowed = await h.b('history', { partner: 1001, token: 'accept00' })
  assert.equal(narrowed.history.length, 1)
  assert.equal((await h.b('history', { skip: 2 })).history.length, 0)
})

test('the budgets of a minute are separate, and a call beyond one gets 429 with the wait', async (t) => {
  const h = await startHarness(t, { environment: { SANDBOX_MARKET_B_CALLS_PER_MINUTE: '60' } })
  const call = (path: string) => h.get(`/market-b/${path}?api=${KEY_B}&name=x&names=x&id=1`)
  for (let count = 0; count < 10; count += 1) {
    assert.equal((await call('v1/search-items-by-name')).status, 200)
    assert.equal((await call('v2/search-items-by-name')).status, 200)
  }
  const waits = []
  for (let count = 0; count < 2; count += 1) {
    const refused = await call('v2/search-items-by-name')
    assert.equal(refused.status, 429)
    const body = (await refused.json()) as Json
    waits.push(Number(refused.headers.get('retry-after') ?? 0) * 1000 || body.msBeforeNext)
  }
  assert.deepEqual(waits, [60_000, 60_000])
  assert.equal((await call('v1/check-many-project-id')).status, 200)
  h.advance(60_000)
  assert.equal((await call('v2/search-items-by-name')).status, 200)
})

test('120 look-ups a minute are served, and the next one waits', async (t) => {
  const h = await startHarness(t, { environment: { SANDBOX_MARKET_B_CALLS_PER_MINUTE: '60' } })
  for (let count = 0; count < 120; count += 1) {
    assert.equal((await h.b('check-many-project-id', { id: 1 })).success, true)
  }
  const refused = await h.get(`/market-b/v1/check-many-project-id?api=${KEY_B}&id=1`)
  assert.equal(refused.status, 429)
})

test('my-history lists the trades of a window, at most a hundred, without ids of ours', async (t) => {
  const h = await startHarness(t)
  await h.b('buy-one-p2p', buyParams(await h.listing('market_b'), { customId: 'one' }))
  const ask = async (body: object): Promise<Json> => {
    const response = await fetch(`${h.url}/market-b/v1/my-history?api=${KEY_B}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as Json
  }
  const window = { start: '2000-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' }
  const { success, data } = await ask({ ...window, skip: 0, sort: 'DESC' })
  assert.equal(success, true)
  assert.deepEqual(
    data.trades.map(({ action, status }: Json) => ({ action, status })),
    [{ action: 'buy', status: 0 }],
  )
  assert.ok(!('project_id' in data.trades[0]))
  const past = { start: '2000-01-01T00:00:00Z', end: '2000-01-02T00:00:00Z' }
  assert.deepEqual((await ask({ ...past, skip: 0 })).data.trades, [])
  assert.equal((await ask({ ...window, skip: 1001 })).success, false)
})
