import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect, type Harness, startHarness } from '../../testing/harness.ts'

const PATH = '/market-a/connection/websocket'
const CHANNEL = 'public:items:730:usd'

async function subscribed(t: TestContext, h: Harness) {
  const { token } = await h.a('get-ws-token')
  const peer = await connect(t, `${h.url}${PATH}`)
  peer.send(
    `${JSON.stringify({ id: 1, connect: { token } })}\n${JSON.stringify({ id: 2, subscribe: { channel: CHANNEL } })}`,
  )
  const connected = JSON.parse(await peer.next())
  assert.equal(connected.id, 1)
  assert.equal(typeof connected.connect.client, 'string')
  assert.deepEqual(JSON.parse(await peer.next()), { id: 2, subscribe: {} })
  return { peer, token }
}

test('a price change is pushed as the lowest price of its name', async (t) => {
  const h = await startHarness(t)
  const { peer } = await subscribed(t, h)
  const listing = await h.listing('market_a')
  await h.control('PUT', `/markets/market_a/listings/${listing.id}`, { price: '1.25' })
  const { push } = JSON.parse(await peer.next())
  assert.deepEqual(push, {
    channel: CHANNEL,
    pub: { data: { name_id: 1, price: '1.250' } },
  })
})

test('simultaneous changes are one frame, one line for each', async (t) => {
  const h = await startHarness(t)
  const { peer } = await subscribed(t, h)
  const rifle = await h.listing('market_a')
  const knife = await h.listing('market_a', 'karambit')
  await Promise.all([
    h.control('PUT', `/markets/market_a/listings/${rifle.id}`, { price: '1.00' }),
    h.control('PUT', `/markets/market_a/listings/${knife.id}`, { price: '2.00' }),
  ])
  const prices: string[] = []
  while (prices.length < 2) {
    for (const line of (await peer.next()).split('\n')) {
      prices.push(JSON.parse(line).push.pub.data.price)
    }
  }
  assert.deepEqual(prices.sort(), ['1.000', '2.000'])
})

test('a wrong or an expired token is refused with 3500', async (t) => {
  const h = await startHarness(t)
  const { token } = await h.a('get-ws-token')
  h.advance(600_000)
  for (const bad of ['nonsense', token]) {
    const peer = await connect(t, `${h.url}${PATH}`)
    peer.send(JSON.stringify({ id: 1, connect: { token: bad } }))
    assert.deepEqual(JSON.parse(await peer.next()), {
      id: 1,
      error: { code: 3500, message: 'invalid token' },
    })
    assert.equal((await peer.closed).code, 3500)
  }
})

test('token_expired cuts the socket and refuses the old token', async (t) => {
  const h = await startHarness(t)
  const { peer, token } = await subscribed(t, h)
  await h.script('market_a', 'token_expired')
  await peer.closed
  const again = await connect(t, `${h.url}${PATH}`)
  again.send(JSON.stringify({ id: 1, connect: { token } }))
  assert.equal(JSON.parse(await again.next()).error.code, 3500)
  await subscribed(t, h)
})

test('socket_cut cuts the socket, and the token stays valid', async (t) => {
  const h = await startHarness(t)
  const { peer, token } = await subscribed(t, h)
  await h.script('market_a', 'socket_cut')
  await peer.closed
  const again = await connect(t, `${h.url}${PATH}`)
  again.send(JSON.stringify({ id: 1, connect: { token } }))
  assert.equal(JSON.parse(await again.next()).id, 1)
})

test('duplicate_news sends each push twice, the duplicate after the next one', async (t) => {
  const h = await startHarness(t)
  const { peer } = await subscribed(t, h)
  await h.script('market_a', 'duplicate_news')
  const { id } = await h.listing('market_a')
  const prices: string[] = []
  for (const price of ['1.00', '2.00']) {
    await h.control('PUT', `/markets/market_a/listings/${id}`, { price })
    prices.push(JSON.parse(await peer.next()).push.pub.data.price)
  }
  prices.push(JSON.parse(await peer.next()).push.pub.data.price)
  assert.deepEqual(prices, ['1.000', '2.000', '1.000'])
})

test('a peer that never answers the keepalive is closed', async (t) => {
  const h = await startHarness(t, { marketA: { socketPingMs: 20 } })
  const { peer } = await subscribed(t, h)
  assert.equal(await peer.next(), '{}')
  assert.equal((await peer.closed).code, 3012)
})

test('the older form of commands is not understood', async (t) => {
  const h = await startHarness(t)
  const peer = await connect(t, `${h.url}${PATH}`)
  peer.send(JSON.stringify({ id: 1, method: 'connect', params: { token: 'x' } }))
  assert.equal((await peer.closed).code, 3501)
})

test('a subscription before the connect, or to another channel, is refused', async (t) => {
  const h = await startHarness(t)
  const early = await connect(t, `${h.url}${PATH}`)
  early.send(JSON.stringify({ id: 7, subscribe: { channel: CHANNEL } }))
  assert.equal(JSON.parse(await early.next()).error.code, 103)
  const { peer } = await subscribed(t, h)
  peer.send(JSON.stringify({ id: 3, subscribe: { channel: 'private:orders' } }))
  assert.equal(JSON.parse(await peer.next()).error.code, 102)
})
