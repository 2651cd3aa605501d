import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  buyParams,
  type Harness,
  type Json,
  KEY_A,
  KEY_B,
  type Params,
  queryOf,
  startHarness,
} from '../testing/harness.ts'

type Market = 'market_a' | 'market_b'

/** The raw answer of a purchase call. */
function buy(h: Harness, market: Market, params: Params): Promise<Response> {
  return market === 'market_a'
    ? h.get(`/market-a/api/v2/buy-for?${queryOf({ key: KEY_A, ...params })}`)
    : h.get(`/market-b/v1/buy-one-p2p?${queryOf({ api: KEY_B, ...params })}`)
}

async function lookUp(h: Harness, market: Market): Promise<Json[]> {
  if (market === 'market_b') {
    return (await h.b('check-many-project-id', { id: 'order-1' })).trades
  }
  const { data } = await h.a('get-list-buy-info-by-custom-id', { 'custom_id[]': 'order-1' })
  return Object.values(data) as Json[]
}

for (const market of ['market_a', 'market_b'] as const) {
  const purchase = async (h: Harness): Promise<Response> =>
    buy(h, market, buyParams(await h.listing(market)))
  const begin = async (h: Harness, ...next: string[]): Promise<Response> => {
    await h.script(market, ...next)
    return purchase(h)
  }

  test(`${market}: each entry serves one purchase, in the order of the script`, async (t) => {
    const h = await startHarness(t)
    await h.script(market, 'http_500')
    await h.script(market, 'reject:sold_out')
    assert.deepEqual((await h.control('GET', '/state')).markets[market].script, [
      'http_500',
      'reject:sold_out',
    ])
    assert.equal((await purchase(h)).status, 500)
    assert.equal(((await (await purchase(h)).json()) as Json).success, false)
    assert.equal(((await (await purchase(h)).json()) as Json).success, true)
  })

  test(`${market}: reject:sold_out takes the listing from the market`, async (t) => {
    const h = await startHarness(t)
    const listing = await h.listing(market)
    const answer = (await (await begin(h, 'reject:sold_out')).json()) as Json
    assert.equal(answer.success, false)
    const gone = await h.control('GET', `/markets/${market}/listings/${listing.id}`)
    assert.equal(gone.status, 404)
    assert.deepEqual(await lookUp(h, market), [])
  })

  test(`${market}: reject:price_changed raises the price for those who look again`, async (t) => {
    const h = await startHarness(t)
    const listing = await h.listing(market)
    const answer = (await (await begin(h, 'reject:price_changed')).json()) as Json
    assert.equal(answer.success, false)
    const raised = await h.control('GET', `/markets/${market}/listings/${listing.id}`)
    assert.ok(raised.priceMills > listing.priceMills)
    if (market === 'market_b') assert.equal(answer.new_price, raised.priceMills)
    assert.deepEqual(await lookUp(h, market), [])
  })

  test(`${market}: reject:no_funds refuses although there is money`, async (t) => {
    const h = await startHarness(t)
    const answer = (await (await begin(h, 'reject:no_funds')).json()) as Json
    assert.match(answer.error ?? answer.msg, /money|funds|средств|noFunds|balance/)
    assert.deepEqual(await lookUp(h, market), [])
  })

  test(`${market}: reject:unknown refuses with what no list knows`, async (t) => {
    const h = await startHarness(t)
    const answer = (await (await begin(h, 'reject:unknown')).json()) as Json
    assert.equal(answer.success, false)
    assert.equal(
      market === 'market_a' ? answer.code : answer.msg,
      market === 'market_a' ? 2 : 'System busy',
    )
    assert.deepEqual(await lookUp(h, market), [])
  })

  test(`${market}: lost_reply_placed cuts the connection and the order is there`, async (t) => {
    const h = await startHarness(t)
    await assert.rejects(begin(h, 'lost_reply_placed'))
    assert.equal((await lookUp(h, market)).length, 1)
  })

  test(`${market}: lost_reply_not_placed cuts the connection and there is no order`, async (t) => {
    const h = await startHarness(t)
    const listing = await h.listing(market)
    await assert.rejects(begin(h, 'lost_reply_not_placed'))
    assert.deepEqual(await lookUp(h, market), [])
    const still = await h.control('GET', `/markets/${market}/listings/${listing.id}`)
    assert.equal(still.status, 200)
  })

  for (const [word, status] of [
    ['http_500', 500],
    ['502', 502],
    ['html_200', 200],
  ] as const) {
    test(`${market}: ${word} answers with HTML and places nothing, unless the word says so`, async (t) => {
      const h = await startHarness(t)
      const broken = await begin(h, word)
      assert.equal(broken.status, status)
      assert.match(broken.headers.get('content-type') ?? '', /^text\/html/)
      assert.deepEqual(await lookUp(h, market), [])
      assert.equal((await begin(h, `${word}+placed`)).status, status)
      assert.equal((await lookUp(h, market)).length, 1)
    })
  }

  test(`${market}: 429 and 403 refuse before anything happens`, async (t) => {
    const h = await startHarness(t)
    assert.equal((await begin(h, '429')).status, 429)
    const forbidden = await begin(h, '403')
    assert.equal(forbidden.status, 403)
    if (market === 'market_b') assert.match(await forbidden.text(), /You need to whitelist your IP/)
    assert.deepEqual(await lookUp(h, market), [])
  })

  test(`${market}: success_without_id and failure_with_id have bought`, async (t) => {
    const h = await startHarness(t)
    assert.deepEqual(await (await begin(h, 'success_without_id')).json(), { success: true })
    assert.equal((await lookUp(h, market)).length, 1)

    const other = await startHarness(t)
    const failure = (await (await begin(other, 'failure_with_id')).json()) as Json
    assert.equal(failure.success, false)
    assert.ok(Number(failure.id) > 0)
    assert.equal((await lookUp(other, market)).length, 1)
  })

  test(`${market}: slow answers late, after the effect`, async (t) => {
    const h = await startHarness(t)
    const answer = begin(h, 'slow:400')
    let isAnswered = false
    answer.then(() => {
      isAnswered = true
    })
    while ((await lookUp(h, market)).length === 0) assert.equal(isAnswered, false)
    assert.equal(isAnswered, false)
    assert.equal(((await (await answer).json()) as Json).success, true)
  })

  test(`${market}: lookup_blind alone hides all orders from now on for so long`, async (t) => {
    const h = await startHarness(t)
    await purchase(h)
    await h.script(market, 'lookup_blind:5')
    assert.deepEqual(await lookUp(h, market), [])
    h.advance(4_999)
    assert.deepEqual(await lookUp(h, market), [])
    h.advance(1)
    assert.equal((await lookUp(h, market)).length, 1)
  })

  test(`${market}: lookup_blind joined to another word hides that one order`, async (t) => {
    const h = await startHarness(t)
    await assert.rejects(begin(h, 'lost_reply_placed+lookup_blind:5'))
    const other = buyParams(await h.listing(market), { customId: 'order-2' })
    await buy(h, market, other)
    assert.deepEqual(await lookUp(h, market), [])
    const seen =
      market === 'market_a' ? (await h.a('history')).data : (await h.b('history')).history
    assert.equal(seen.length, 1)
    h.advance(5_000)
    assert.equal((await lookUp(h, market)).length, 1)
  })

  test(`${market}: an unknown word is refused, and then nothing of the list is done`, async (t) => {
    const h = await startHarness(t)
    const foreign = market === 'market_a' ? 'extra_status_6' : 'token_expired'
    const wrong = ['explode', 'slow:', 'slow:soon', 'http_500+502', foreign, 7, '']
    for (const word of wrong) {
      const refused = await h.control('POST', `/markets/${market}/script`, {
        next: ['http_500', word],
      })
      assert.equal(refused.status, 400, String(word))
    }
    assert.deepEqual((await h.control('GET', '/state')).markets[market].script, [])
  })

  test(`${market}: switched off it answers 502, and orders under way live on`, async (t) => {
    const h = await startHarness(t)
    await purchase(h)
    await h.control('PUT', `/markets/${market}`, { online: false })
    assert.equal((await purchase(h)).status, 502)
    h.advance(30_000)
    await h.control('PUT', `/markets/${market}`, { online: true })
    const state = await h.control('GET', '/state')
    assert.deepEqual(state.markets[market].orders, { released: 1 })
  })

  test(`${market}: latency delays every answer`, async (t) => {
    const h = await startHarness(t)
    await h.control('PUT', `/markets/${market}`, { latencyMs: 150 })
    const startMs = performance.now()
    await lookUp(h, market)
    assert.ok(performance.now() - startMs >= 140)
  })
}

test('market_b: extra_status_6 lists a refused attempt beside the real one', async (t) => {
  const h = await startHarness(t)
  await h.script('market_b', 'extra_status_6')
  const { id } = await h.b('buy-one-p2p', buyParams(await h.listing('market_b')))
  const rows = await lookUp(h, 'market_b')
  assert.deepEqual(rows.map((row) => row.status).sort(), [0, 6])
  assert.equal(rows.find((row) => row.status === 0)?.id, id)
  assert.ok(rows.every((row) => row.project_id === 'order-1'))
})

test('market_b: a refused attempt may be all that is listed', async (t) => {
  const h = await startHarness(t)
  await h.script('market_b', 'lost_reply_not_placed+extra_status_6')
  await assert.rejects(buy(h, 'market_b', buyParams(await h.listing('market_b'))))
  const rows = await lookUp(h, 'market_b')
  assert.deepEqual(
    rows.map((row) => row.status),
    [6],
  )
})
