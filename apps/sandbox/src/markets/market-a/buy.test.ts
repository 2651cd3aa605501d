import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import {
  buyParams,
  type Harness,
  type Json,
  KEY_A,
  queryOf,
  startHarness,
} from '../../testing/harness.ts'

const orderOf = async (h: Harness, customId = 'order-1'): Promise<Json> =>
  (await h.a('get-buy-info-by-custom-id', { custom_id: customId })).data

const isNone = (value: unknown): boolean => value === null || Number(value) === 0

test('a purchase goes from placed to settled through the stages of the sheet', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_a')

  const bought = await h.a('buy-for', buyParams(listing))
  assert.equal(bought.success, true)
  assert.equal(Number(bought.price), listing.priceMills)

  const placed = await orderOf(h)
  assert.equal(String(placed.item_id), String(bought.id))
  assert.equal(Number(placed.stage), 1)
  assert.ok(isNone(placed.trade_id))
  assert.equal(Number(placed.receive_until), 0)
  assert.equal(Number(placed.settlement), 0)
  assert.equal(placed.paid, listing.priceMills / 1000)
  assert.equal(placed.for, '4242')
  assert.equal(placed.currency, 'USD')
  assert.equal(Number(placed.send_until), Number(placed.time) + 300)

  h.advance(700)
  const offered = await orderOf(h)
  assert.equal(Number(offered.stage), 1)
  assert.ok(Number(offered.trade_id) > 0)
  assert.ok(Number(offered.receive_until) * 1000 > h.nowMs())

  h.advance(1_000)
  const held = await orderOf(h)
  assert.equal(Number(held.stage), 1)
  assert.ok(isNone(held.trade_id))
  assert.ok(Number(held.settlement) * 1000 >= h.nowMs() + 18_000)

  h.advance(20_000)
  const settled = await orderOf(h)
  assert.equal(Number(settled.stage), 2)
})

test('the types of the fields vary between orders', async (t) => {
  const h = await startHarness(t)
  const ids = new Set<string>()
  const stages = new Set<string>()
  const tradeIds = new Set<string>()
  const refunds = new Set<string>()
  for (let count = 0; count < 6; count += 1) {
    const bought = await h.a(
      'buy-for',
      buyParams(await h.listing('market_a', ''), { customId: `o-${count}` }),
    )
    const order = await orderOf(h, `o-${count}`)
    ids.add(typeof bought.id)
    stages.add(typeof order.stage)
    tradeIds.add(JSON.stringify(order.trade_id))
    refunds.add(JSON.stringify(order.refund))
  }
  assert.deepEqual([...ids].sort(), ['number', 'string'])
  assert.deepEqual([...stages].sort(), ['number', 'string'])
  assert.deepEqual([...tradeIds].sort(), ['"0"', '0', 'null'])
  assert.equal(refunds.size, 2)
})

test('a purchase by name takes the cheapest listing up to the ceiling', async (t) => {
  const h = await startHarness(t)
  const cheapest = await h.listing('market_a')
  const bought = await h.a('buy-for', {
    ...buyParams(cheapest),
    id: '',
    hash_name: 'AK-47 | Redline (Field-Tested)',
    price: cheapest.priceMills + 5_000,
  })
  assert.equal(Number(bought.price), cheapest.priceMills)
})

test('a ceiling below the price is refused with code 0, in both languages in turn', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_a')
  const texts = new Set<string>()
  for (let count = 0; count < 2; count += 1) {
    const refused = await h.a('buy-for', { ...buyParams(listing), price: listing.priceMills - 1 })
    assert.deepEqual(
      { ...refused, error: '' },
      { success: false, id: false, price: null, error: '', code: 0 },
    )
    texts.add(refused.error)
  }
  assert.ok(texts.has('No item was found at the specified price or lower.'))
  assert.ok([...texts].some((text) => text.includes('по указанной цене или ниже')))
  assert.equal((await h.control('GET', `/markets/market_a/listings/${listing.id}`)).status, 200)
})

test('a listing that is sold cannot be bought again', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_a')
  assert.equal((await h.a('buy-for', buyParams(listing))).success, true)
  const second = await h.a('buy-for', buyParams(listing, { customId: 'order-2' }))
  assert.equal(second.success, false)
  assert.equal(second.code, 0)
})

test('each recipient who cannot receive is refused with the code of the sheet', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_a')
  const buy = (token: string, partner = 4242) =>
    h.a('buy-for', buyParams(listing, { token, partner }))

  assert.equal((await buy('privat00')).code, 5)
  const bans = new Set<number>()
  for (let count = 0; count < 3; count += 1) bans.add((await buy('banned00')).code)
  assert.deepEqual([...bans].sort(), [6, 7, 8])
  const blocked = await buy('holdup00')
  assert.equal(blocked.code, 0)
  assert.match(blocked.error, /из-за не принятия большого кол-ва обменов/)
  assert.equal((await buy('short')).code, 12)
  assert.equal((await buy('accept00', 4_294_967_296)).code, 12)
})

test('a second purchase under one custom id buys again, and the look-up shows the newest', async (t) => {
  const h = await startHarness(t)
  const first = await h.a('buy-for', buyParams(await h.listing('market_a')))
  const second = await h.a('buy-for', buyParams(await h.listing('market_a')))
  assert.equal(second.success, true)
  assert.notEqual(String(second.id), String(first.id))
  assert.equal(String((await orderOf(h)).item_id), String(second.id))
})

test('the market can be set to refuse a custom id that it knows', async (t) => {
  const h = await startHarness(t, { marketA: { repeatedCustomId: 'refused' } })
  await h.a('buy-for', buyParams(await h.listing('market_a')))
  const second = await h.a('buy-for', buyParams(await h.listing('market_a')))
  assert.equal(second.success, false)
})

test('the price is debited, and an empty account buys nothing', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_a')
  await h.a('buy-for', buyParams(listing))
  const money = await h.a('get-money')
  assert.deepEqual(money, {
    money: 1_000_000 - listing.priceMills / 1000,
    money_settlement: 0,
    currency: 'USD',
    success: true,
  })

  // What settles is no part of it.
  await h.control('PUT', '/markets/market_a', { balance: '0.01', settling: '12.5' })
  assert.deepEqual(await h.a('get-money'), { ...money, money: 0.01, money_settlement: 12.5 })
  const refused = await h.a('buy-for', buyParams(await h.listing('market_a'), { customId: 'o-2' }))
  assert.equal(refused.success, false)
  assert.match(refused.error, /^(Not money|Not enough funds|Недостаточно средств)/)
})

test('the account is kept in the currency that the control names, and its key can be refused', async (t) => {
  const h = await startHarness(t)
  await h.control('PUT', '/markets/market_a', { currency: 'EUR' })
  assert.equal((await h.a('get-money')).currency, 'EUR')
  await h.control('PUT', '/markets/market_a', { forbidden: true })
  assert.match((await h.a('get-money')).error, /^(Bad KEY|bad_key)$/)
  await h.control('PUT', '/markets/market_a', { forbidden: false })
  assert.equal((await h.a('get-money')).success, true)
})

test('a seller below the requested transfer probability is refused', async (t) => {
  const h = await startHarness(t)
  const { items } = await h.control('GET', '/markets/market_a/listings?limit=100')
  const manual = items.find((item: Json) => !item.auto)
  const refused = await h.a('buy-for', { ...buyParams(manual), chance_to_transfer: 100 })
  assert.equal(refused.code, 0)
  assert.match(refused.error, /chance to transfer/)
})

test('a call without its parameters is refused and places nothing', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_a')
  const wrong = [
    { ...buyParams(listing), price: 'much' },
    { ...buyParams(listing), price: '' },
    { ...buyParams(listing), id: '' },
    { ...buyParams(listing), custom_id: 'x'.repeat(51) },
  ]
  for (const params of wrong) assert.equal((await h.a('buy-for', params)).success, false)
  const state = await h.control('GET', '/state')
  assert.deepEqual(state.markets.market_a.orders, {})
})

test('a write without a user agent gets 401', async (t) => {
  const h = await startHarness(t)
  const listing = await h.listing('market_a')
  const path = `/market-a/api/v2/buy-for?${queryOf({ key: KEY_A, ...buyParams(listing) })}`
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request(`${h.url}${path}`, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
  assert.equal(status, 401)
})

test('a plain buy delivers to the owner of the account', async (t) => {
  const h = await startHarness(t)
  const bought = await h.a('buy', buyParams(await h.listing('market_a')))
  assert.equal(bought.success, true)
  assert.equal((await orderOf(h)).for, '1')
})
