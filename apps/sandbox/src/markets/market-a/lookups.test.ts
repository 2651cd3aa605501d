import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyParams, type Json, startHarness } from '../../testing/harness.ts'

test('an unknown order is not found, in two wordings', async (t) => {
  const h = await startHarness(t)
  const first = await h.a('get-buy-info-by-custom-id', { custom_id: 'absent' })
  const second = await h.a('get-buy-info-by-custom-id', { custom_id: 'absent' })
  assert.deepEqual(first, { success: false, data: false, error: 'Order not found' })
  assert.deepEqual(second, { success: false, data: false, error: 'not found' })
})

test('a batch returns the orders that exist and omits the others', async (t) => {
  const h = await startHarness(t)
  for (const customId of ['one', 'two']) {
    await h.a('buy-for', buyParams(await h.listing('market_a'), { customId }))
  }
  const { success, data } = await h.a('get-list-buy-info-by-custom-id', {
    'custom_id[]': ['one', 'absent', 'two'],
  })
  assert.equal(success, true)
  assert.deepEqual(Object.keys(data), ['one', 'two'])
  assert.deepEqual(
    (await h.a('get-list-buy-info-by-custom-id', { 'custom_id[]': 'absent' })).data,
    {},
  )
})

test('a batch of more than 50 is refused', async (t) => {
  const h = await startHarness(t)
  const ids = Array.from({ length: 51 }, (_, index) => `order-${index}`)
  const refused = await h.a('get-list-buy-info-by-custom-id', { 'custom_id[]': ids })
  assert.equal(refused.success, false)
})

test('a purchase is visible to no other key than its own', async (t) => {
  const h = await startHarness(t, {
    environment: { SANDBOX_MARKET_A_KEY: 'sandbox-market-a,other' },
  })
  await h.a('buy-for', buyParams(await h.listing('market_a')))
  const asked = { key: 'other', custom_id: 'order-1' }
  assert.equal((await h.a('get-buy-info-by-custom-id', asked)).success, false)
  assert.deepEqual((await h.a('history', { key: 'other' })).data, [])
  assert.equal((await h.a('get-money', { key: 'other' })).money, 1_000_000)
})

test('history shows purchases in thousandths between two dates', async (t) => {
  const h = await startHarness(t)
  const startSeconds = h.nowMs() / 1000
  const listing = await h.listing('market_a')
  await h.a('buy-for', buyParams(listing))
  h.advance(100_000)
  await h.a('buy-for', buyParams(await h.listing('market_a'), { customId: 'later' }))

  const { data } = await h.a('history', { date: startSeconds, date_end: startSeconds + 50 })
  assert.equal(data.length, 1)
  assert.equal(data[0].event, 'buy')
  assert.equal(data[0].custom_id, 'order-1')
  assert.equal(data[0].paid, String(listing.priceMills))
  assert.equal(data[0].stage, '2')
  const all = await h.a('operation-history', { date: startSeconds })
  assert.deepEqual(
    all.data.map((row: Json) => row.custom_id),
    ['later', 'order-1'],
  )
})

test('the check for a reversal answers a hundred times a day', async (t) => {
  const h = await startHarness(t, { marketA: { reversalChecksADay: 2 } })
  await h.a('buy-for', buyParams(await h.listing('market_a'), { token: 'rvuser00' }))
  const check = () => h.a('check-if-reversed-by-custom-id', { custom_id: 'order-1' })
  assert.equal((await check()).message, 'Trade is not reversed')
  h.advance(10_000)
  assert.equal((await check()).message, 'Trade is reversed')
  assert.equal((await check()).success, false)
  h.advance(86_400_000)
  assert.equal((await check()).success, true)
})

test('a wrong key is refused in two wordings and is not counted', async (t) => {
  const h = await startHarness(t)
  assert.equal((await h.a('get-money', { key: 'wrong' })).error, 'Bad KEY')
  assert.equal((await h.a('get-money', { key: 'wrong' })).error, 'bad_key')
})

test('one call too many in a second revokes the key until control restores it', async (t) => {
  const h = await startHarness(t, { environment: { SANDBOX_MARKET_A_CALLS_PER_SECOND: '5' } })
  for (let count = 0; count < 5; count += 1) {
    assert.equal((await h.a('get-money')).success, true)
    h.advance(150)
  }
  assert.match((await h.a('get-money')).error, /^bad[ _]key$/i)
  h.advance(60_000)
  assert.equal((await h.a('get-money')).success, false)
  assert.equal((await h.json('/market-a/api/v2/prices/USD.json')).success, true)

  const market = await h.control('PUT', '/markets/market_a', { restoreKeys: true })
  assert.equal(market.accounts[0].revoked, false)
  assert.equal((await h.a('get-money')).success, true)
})

test('five calls a second are allowed without end', async (t) => {
  const h = await startHarness(t, { environment: { SANDBOX_MARKET_A_CALLS_PER_SECOND: '5' } })
  for (let count = 0; count < 25; count += 1) {
    assert.equal((await h.a('get-money')).success, true)
    h.advance(200)
  }
})

test('an unknown method is refused', async (t) => {
  const h = await startHarness(t)
  assert.equal((await h.a('toString')).success, false)
})
