import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  buyParams,
  connect,
  type Harness,
  type Json,
  KEY_B,
  startHarness,
} from '../../testing/harness.ts'

const PATH = '/market-b/socket.io/?EIO=4&transport=websocket'

async function joined(t: TestContext, h: Harness, key?: string) {
  const peer = await connect(t, `${h.url}${PATH}`, key === undefined ? {} : { authorization: key })
  const open = await peer.next()
  assert.equal(open[0], '0')
  peer.send('40')
  // A ping may come first.
  assert.match(await peer.next((text) => text !== '2'), /^40\{"sid":/)
  return { peer, open: JSON.parse(open.slice(1)) as Json }
}

async function subscribed(t: TestContext, h: Harness) {
  const { peer } = await joined(t, h)
  peer.send('42["sub",{"name":"csgo"}]')
  assert.equal(eventOf(await peer.next()).name, 'subscribed')
  assert.equal(eventOf(await peer.next()).name, 'handshake')
  return peer
}

function eventOf(text: string): { readonly name: string; readonly body: Json } {
  assert.equal(text.slice(0, 2), '42')
  const [name, body] = JSON.parse(text.slice(2))
  return { name, body }
}

test('the handshake has the heartbeat of the protocol', async (t) => {
  const h = await startHarness(t)
  const { open } = await joined(t, h)
  assert.equal(open.pingInterval, 25_000)
  assert.equal(open.pingTimeout, 20_000)
})

test('subscribers receive the price change, sale and return of a listing', async (t) => {
  const h = await startHarness(t)
  const peer = await subscribed(t, h)
  const listing = await h.listing('market_b', 'ruby')

  await h.control('PUT', `/markets/market_b/listings/${listing.id}`, { price: '9.99' })
  const update = eventOf(await peer.next())
  assert.equal(update.name, 'update')
  assert.equal(update.body.item_id, listing.id)
  assert.equal(update.body.price, 9_990)
  assert.equal(update.body.phase, 'Ruby')
  assert.equal(update.body.float, listing.wear)

  await h.script('market_b', 'seller_cancels')
  await h.b('buy-one-p2p', { ...buyParams(listing), price: 9_990 })
  const removed = eventOf(await peer.next())
  assert.equal(removed.name, 'removed')
  assert.deepEqual(Object.keys(removed.body), ['item_id', 'name', 'price', 'game'])

  h.advance(1_000)
  const back = eventOf(await peer.next())
  assert.equal(back.name, 'new')
  assert.equal(back.body.item_id, listing.id)
})

test('the feed sometimes loses a change of market activity, never one of control', async (t) => {
  const h = await startHarness(t, { marketB: { feedGapOneIn: 1 } })
  const peer = await subscribed(t, h)
  for (let count = 0; count < 20; count += 1) h.sandbox.tick()
  const { id } = await h.listing('market_b')
  await h.control('PUT', `/markets/market_b/listings/${id}`, { price: '1.00' })
  const first = eventOf(await peer.next())
  assert.equal(first.name, 'update')
  assert.equal(first.body.item_id, id)
})

test('an account receives changes of its trades and wallet, without the project id', async (t) => {
  const h = await startHarness(t)
  const { peer } = await joined(t, h, KEY_B)
  const listing = await h.listing('market_b')
  const { id } = await h.b('buy-one-p2p', buyParams(listing))
  const created = eventOf(await peer.next())
  assert.equal(created.name, 'steamTrade')
  assert.equal(created.body.data.id, id)
  assert.equal(created.body.data.costum_id, null)
  assert.equal(created.body.data.items[0].status, 0)
  const paid = eventOf(await peer.next())
  assert.deepEqual(paid, {
    name: 'change_user',
    body: { wallet: 1_000_000_000 - listing.priceMills },
  })
  h.advance(30_000)
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) {
    statuses.push(eventOf(await peer.next()).body.data.stage)
  }
  assert.deepEqual(statuses.slice(0, 3), [2, 4, 4])
})

test('a reader without a key receives no trades', async (t) => {
  const h = await startHarness(t)
  const peer = await subscribed(t, h)
  const listing = await h.listing('market_b')
  await h.b('buy-one-p2p', buyParams(listing))
  await h.control('PUT', `/markets/market_b/listings/${(await h.listing('market_b')).id}`, {
    price: '1.00',
  })
  assert.equal(eventOf(await peer.next()).name, 'removed')
  assert.equal(eventOf(await peer.next()).name, 'update')
})

test('duplicate_news sends each event twice, the duplicate after the next one', async (t) => {
  const h = await startHarness(t)
  const peer = await subscribed(t, h)
  await h.script('market_b', 'duplicate_news')
  const { id } = await h.listing('market_b')
  const prices: number[] = []
  for (const price of ['1.00', '2.00']) {
    await h.control('PUT', `/markets/market_b/listings/${id}`, { price })
    prices.push(eventOf(await peer.next()).body.price)
  }
  prices.push(eventOf(await peer.next()).body.price)
  assert.deepEqual(prices, [1_000, 2_000, 1_000])
})

test('socket_cut and taking the market offline close the socket', async (t) => {
  const h = await startHarness(t)
  const first = await subscribed(t, h)
  await h.script('market_b', 'socket_cut')
  await first.closed
  const second = await subscribed(t, h)
  await h.control('PUT', '/markets/market_b', { online: false })
  await second.closed
  await assert.rejects(connect(t, `${h.url}${PATH}`), /502/)
  await h.control('PUT', '/markets/market_b', { online: true })
  await subscribed(t, h)
})

test('a silent peer is disconnected, one that answers the ping is not', async (t) => {
  const h = await startHarness(t, { marketB: { pingIntervalMs: 100, pingTimeoutMs: 1500 } })
  const { peer: alive } = await joined(t, h)
  alive.socket.on('message', (data) => {
    if (String(data) === '2') alive.send('3')
  })
  const { peer: silent } = await joined(t, h)
  await silent.closed
  assert.equal(await alive.next((text) => text === '2'), '2')
})

test('another version of the protocol is refused', async (t) => {
  const h = await startHarness(t)
  await assert.rejects(connect(t, `${h.url}/market-b/socket.io/?EIO=3&transport=websocket`), /400/)
  await assert.rejects(connect(t, `${h.url}/nowhere`), /404/)
})
