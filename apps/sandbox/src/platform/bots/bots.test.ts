import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Environment } from '../../settings.ts'
import { type Bot, botOf, login } from '../../testing/bot.ts'
import { type Harness, type Json, startHarness } from '../../testing/harness.ts'

const SELLER_ID = '76561197960269970'

async function post(
  h: Harness,
  bot: Bot,
  path: string,
  form: Record<string, string> = {},
): Promise<Json> {
  const response = await fetch(`${h.url}/platform${path}`, {
    method: 'POST',
    headers: { cookie: bot.cookie },
    body: new URLSearchParams({ sessionid: '5e55', ...form }),
  })
  return { status: response.status, ...((await response.json()) as Json | null) }
}

function send(
  h: Harness,
  bot: Bot,
  {
    token = 'accept00',
    take = [],
    give = [],
  }: { token?: string; take?: string[]; give?: string[] },
): Promise<Json> {
  const side = (ids: string[]): object => ({
    assets: ids.map((assetid) => ({ appid: 730, contextid: '2', amount: 1, assetid })),
  })
  return post(h, bot, '/tradeoffer/new/send', {
    partner: SELLER_ID,
    tradeoffermessage: 'Sale tag-1',
    json_tradeoffer: JSON.stringify({ me: side(give), them: side(take) }),
    trade_offer_create_params: JSON.stringify({ trade_offer_access_token: token }),
  })
}

async function ask(h: Harness, bot: Bot, method: string, query: string): Promise<Json> {
  const path = `/platform/api/IEconService/${method}/v1/?access_token=${bot.accessToken}&${query}`
  const response = await h.get(path)
  return ((await response.json()) as Json).response
}

const offerOf = async (h: Harness, bot: Bot, id: string): Promise<Json> =>
  (await ask(h, bot, 'GetTradeOffer', `tradeofferid=${id}`)).offer

async function tradable(h: Harness, count = 1): Promise<string[]> {
  const { items } = await h.control('GET', `/inventories/${SELLER_ID}`)
  const free = items.filter((item: Json) => item.tradable)
  return free.slice(0, count).map((item: Json) => item.assetId)
}

async function start(t: TestContext, environment: Environment = {}): Promise<[Harness, Bot]> {
  const h = await startHarness(t, { environment })
  return [h, await botOf(h)]
}

test('a refresh token logs in until another takes its place', async (t) => {
  const [h] = await start(t)
  const [{ refreshToken }] = (await (await h.get('/control/platform/bots')).json()) as [Json]
  assert.equal((await login(h, refreshToken))?.length, 1)
  const renewed = await login(h, refreshToken, true)
  assert.equal(renewed?.length, 2)
  assert.equal(await login(h, refreshToken), null)
  assert.equal((await login(h, renewed?.[1] ?? ''))?.length, 1)
  for (const nonsense of ['', 'x', `${refreshToken}x`]) assert.equal(await login(h, nonsense), null)
})

test('without a valid session every read and write is refused', async (t) => {
  const [h, bot] = await start(t)
  const take = await tradable(h)
  const unknownBots: Bot[] = [
    { ...bot, accessToken: 'x', cookie: '' },
    { ...bot, accessToken: '', cookie: bot.cookie.replace('sessionid=5e55', 'sessionid=other') },
    { ...bot, accessToken: '', cookie: bot.cookie.replace(bot.id, SELLER_ID) },
  ]
  for (const unknownBot of unknownBots) {
    assert.equal((await send(h, unknownBot, { take })).status, 401)
    const path = `/platform/api/IEconService/GetTradeOffers/v1/?access_token=${unknownBot.accessToken}`
    assert.equal((await h.get(path)).status, 401)
  }
  await h.control('POST', '/platform/script', { next: ['end_sessions'] })
  assert.equal((await send(h, bot, { take })).status, 401)
  assert.equal((await h.control('GET', '/offers')).items.length, 0)
})

test('an accepted item belongs to the bot, protected and under a new id, until the hold is over', async (t) => {
  const [h, bot] = await start(t)
  const [assetId = ''] = await tradable(h)
  const { tradeofferid, needs_mobile_confirmation } = await send(h, bot, { take: [assetId] })
  assert.equal(needs_mobile_confirmation, undefined)
  assert.equal((await offerOf(h, bot, tradeofferid)).trade_offer_state, 2)
  h.advance(1_000)
  const offer = await offerOf(h, bot, tradeofferid)
  assert.equal(offer.trade_offer_state, 3)
  const trade = async (): Promise<Json> =>
    (await ask(h, bot, 'GetTradeStatus', `tradeid=${offer.tradeid}`)).trades[0]
  const [received] = (await trade()).assets_received
  assert.equal(received.assetid, assetId)
  assert.equal(received.new_contextid, '16')
  const own = async (context: number, cookie?: string): Promise<Response> =>
    h.get(`/platform/inventory/${bot.id}/730/${context}`, cookie ? { cookie } : undefined)
  assert.equal((await own(16)).status, 403)
  const guarded = (await (await own(16, bot.cookie)).json()) as Json
  assert.deepEqual(
    guarded.assets.map((row: Json) => row.assetid),
    [received.new_assetid],
  )
  assert.equal((await h.control('GET', `/inventories/${SELLER_ID}`)).items.length, 39)
  h.advance(20_000)
  const settled = (await (await own(2)).json()) as Json
  assert.deepEqual(
    settled.assets.map((row: Json) => row.assetid),
    [received.new_assetid],
  )
  assert.equal((await trade()).status, 3)
})

test('rvuser00 reverses the trade during the hold and has the item under a third id', async (t) => {
  const [h, bot] = await start(t)
  const [assetId = ''] = await tradable(h)
  const { tradeofferid } = await send(h, bot, { token: 'rvuser00', take: [assetId] })
  h.advance(1_000)
  const { tradeid } = await offerOf(h, bot, tradeofferid)
  h.advance(6_000)
  const [trade] = (await ask(h, bot, 'GetTradeStatus', `tradeid=${tradeid}`)).trades
  assert.equal(trade.status, 12)
  assert.match(trade.rollback_trade, /^\d{18}$/)
  const { items } = await h.control('GET', `/inventories/${SELLER_ID}`)
  assert.equal(items.length, 40)
  assert.equal(
    items.some((item: Json) => item.assetId === assetId),
    false,
  )
  assert.equal(items.at(-1).assetId, trade.assets_received[0].rollback_new_assetid)
  assert.equal((await h.control('GET', `/inventories/${bot.id}`)).items.length, 0)
})

test('each token decides the outcome of an offer', async (t) => {
  const [h, bot] = await start(t)
  const take = await tradable(h)
  for (const [token, waitMs, state] of [
    ['declin00', 1_000, 7],
    ['expire00', 5_000, 5],
    ['manual00', 3_600_000, 2],
    ['slowly00', 15_000, 3],
  ] as const) {
    const { tradeofferid } = await send(h, bot, { token, take })
    h.advance(waitMs)
    assert.equal((await offerOf(h, bot, tradeofferid)).trade_offer_state, state, token)
  }
})

test('of two offers for one item the second is left with invalid items', async (t) => {
  const [h, bot] = await start(t)
  const take = await tradable(h)
  const one = await send(h, bot, { token: 'manual00', take })
  const two = await send(h, bot, { token: 'manual00', take })
  await h.control('POST', `/offers/${one.tradeofferid}/accept`)
  const left = await h.control('POST', `/offers/${two.tradeofferid}/accept`)
  assert.equal(left.state, 'invalid_items')
  const third = await send(h, bot, { token: 'manual00', take })
  assert.match(third.strError, /\(26\)$/)
})

test('five offers to one partner are the most, and an ended one allows another', async (t) => {
  const [h, bot] = await start(t)
  const take = await tradable(h)
  const sent = []
  for (let count = 0; count < 5; count += 1) {
    sent.push(await send(h, bot, { token: 'manual00', take }))
  }
  const refused = await send(h, bot, { token: 'manual00', take })
  assert.equal(refused.status, 500)
  assert.match(refused.strError, /sent too many trade offers.*\(25\)$/)
  await post(h, bot, `/tradeoffer/${sent[0]?.tradeofferid}/cancel`)
  assert.equal((await send(h, bot, { token: 'manual00', take })).status, 200)
})

test('an offer that gives items waits for a confirmation, whose key can be used once', async (t) => {
  const [h, bot] = await start(t)
  await send(h, bot, { take: await tradable(h) })
  h.advance(22_000)
  const { items } = await h.control('GET', `/inventories/${bot.id}`)
  const given = await send(h, bot, { token: 'manual00', give: [items[0].assetId] })
  assert.equal(given.needs_mobile_confirmation, true)
  assert.equal((await offerOf(h, bot, given.tradeofferid)).trade_offer_state, 9)
  const phone = async (verb: string, tag: string, seconds: number, more = ''): Promise<Json> => {
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(BigInt(seconds))
    const key = createHmac('sha1', Buffer.from(bot.identitySecret, 'base64'))
      .update(Buffer.concat([time, Buffer.from(tag)]))
      .digest('base64')
    const query = `a=${bot.id}&t=${seconds}&tag=${tag}&k=${encodeURIComponent(key)}${more}`
    const response = await h.get(`/platform/mobileconf/${verb}?${query}`, { cookie: bot.cookie })
    return (await response.json()) as Json
  }
  const now = Math.floor(h.nowMs() / 1000)
  const { conf } = await phone('getlist', 'list', now)
  assert.equal(conf[0].creator_id, given.tradeofferid)
  assert.equal((await phone('getlist', 'list', now)).success, false)
  assert.equal((await phone('getlist', 'list', now - 4_000)).success, false)
  const choice = `&op=allow&cid=${conf[0].id}&ck=${conf[0].nonce}`
  assert.equal((await phone('ajaxop', 'accept', now + 1, '&op=allow&cid=1&ck=1')).success, false)
  assert.equal((await phone('ajaxop', 'accept', now + 2, choice)).success, true)
  assert.equal((await offerOf(h, bot, given.tradeofferid)).trade_offer_state, 2)
})

test('some changes have an earlier timestamp', async (t) => {
  const [h, bot] = await start(t)
  const take = await tradable(h)
  const updated: number[] = []
  for (let count = 0; count < 4; count += 1) {
    const { tradeofferid } = await send(h, bot, { token: 'manual00', take })
    h.advance(3_600_000)
    await h.control('POST', `/offers/${tradeofferid}/decline`)
    updated.push((await offerOf(h, bot, tradeofferid)).time_updated * 1000 - h.nowMs())
  }
  assert.equal(updated.filter((distanceMs) => distanceMs < -59_000).length, 1)
})

test('reads are refused above the limit of an address', async (t) => {
  const [h] = await start(t, { SANDBOX_PLATFORM_READS_PER_MINUTE: '2' })
  const read = async (): Promise<number> =>
    (await h.get(`/platform/inventory/${SELLER_ID}/730/2`)).status
  assert.deepEqual([await read(), await read(), await read()], [200, 200, 429])
  h.advance(60_001)
  assert.equal(await read(), 200)
})

test('an inventory is made as large as a test needs it', async (t) => {
  const [h] = await start(t)
  assert.equal((await h.control('PUT', `/inventories/${SELLER_ID}`, { count: 1500 })).status, 200)
  const page = (await (
    await h.get(`/platform/inventory/${SELLER_ID}/730/2?count=1000`)
  ).json()) as Json
  assert.deepEqual(
    [page.total_inventory_count, page.assets.length, page.more_items],
    [1500, 1000, 1],
  )
  for (const count of [-1, 1.5, 4001, '7']) {
    assert.equal((await h.control('PUT', `/inventories/${SELLER_ID}`, { count })).status, 400)
  }
})

test('an unknown word is refused, with its whole request', async (t) => {
  const [h] = await start(t)
  const refused = await h.control('POST', '/platform/script', { next: ['429', 'explode'] })
  assert.equal(refused.status, 400)
  assert.deepEqual((await h.control('GET', '/state')).platform.script, [])
})
