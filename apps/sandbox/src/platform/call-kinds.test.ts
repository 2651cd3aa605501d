import assert from 'node:assert/strict'
import { test } from 'node:test'
import { botOf } from '../testing/bot.ts'
import { startHarness } from '../testing/harness.ts'

const USER = '76561197960269970'
const PHONE = { 'user-agent': 'okhttp/4.9.2', 'accept-language': 'en-US,en;q=0.9' }
const PAGE = '/platform/tradeoffer/new/?partner=4242&token=accept00'

test('a call without the headers of its kind is answered 429, whatever the rate', async (t) => {
  const h = await startHarness(t, { environment: { SANDBOX_PLATFORM_HEADERS: 'strict' } })
  const statusOf = async (
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<number> => (await fetch(`${h.url}${path}`, { method, headers })).status
  const page = { ...PHONE, referer: `${h.url}${PAGE}` }
  const inventory = `/platform/inventory/${USER}/730/2`
  const send = '/platform/tradeoffer/new/send'
  const logIn = '/platform/api/IAuthenticationService/GenerateAccessTokenForApp/v1/'

  assert.equal(await statusOf(PAGE), 429)
  assert.equal(await statusOf(PAGE, PHONE), 429)
  assert.equal(await statusOf(PAGE, { ...page, referer: `${h.url}/platform/` }), 429)
  assert.notEqual(await statusOf(PAGE, page), 429)
  assert.equal(await statusOf(inventory), 429)
  assert.equal(await statusOf(inventory, { 'accept-language': 'en' }), 200)
  assert.equal(await statusOf('/platform/mobileconf/getlist', { 'accept-language': 'en' }), 429)
  assert.equal(await statusOf('/platform/mobileconf/getlist', PHONE), 200)
  assert.equal(await statusOf(send, PHONE, 'POST'), 429)
  assert.notEqual(await statusOf(send, { ...page, origin: h.url }, 'POST'), 429)
  assert.equal(await statusOf(logIn, PHONE, 'POST'), 429)
  assert.notEqual(await statusOf(logIn, { ...PHONE, cookie: 'mobileClient=android' }, 'POST'), 429)
  // The Web API asks for none.
  assert.equal(await statusOf('/platform/api/IEconService/GetTradeOffers/v1/'), 401)
})

test('429:<kind> refuses the next call of that kind and no other', async (t) => {
  const h = await startHarness(t)
  await h.control('POST', '/platform/script', { next: ['429:inventory'] })
  assert.notEqual((await h.get(PAGE)).status, 429)
  const read = async (): Promise<number> =>
    (await h.get(`/platform/inventory/${USER}/730/2`)).status
  assert.deepEqual([await read(), await read()], [429, 200])
})

test('a trade page is shown to an account that is signed in, and its own to none', async (t) => {
  const h = await startHarness(t)
  const { cookie } = await botOf(h)
  const open = (query: string, headers: Record<string, string>): Promise<Response> =>
    fetch(`${h.url}/platform/tradeoffer/new/?${query}`, { headers, redirect: 'manual' })
  assert.equal((await open('partner=4242&token=accept00', { cookie })).status, 200)
  assert.equal((await open('partner=4242&token=accept00', {})).status, 302)
  await h.control('POST', '/platform/script', { next: ['end_sessions'] })
  const ended = await open('partner=4242&token=accept00', { cookie })
  assert.equal(ended.status, 302)
  assert.match(ended.headers.get('location') ?? '', /\/login\//)
  const own = await open('partner=1999000001&token=accept00', { cookie: (await botOf(h)).cookie })
  assert.match(await own.text(), /error_msg/)
})

test('hidden_items shows the next caller an inventory without items', async (t) => {
  const h = await startHarness(t)
  await h.control('POST', '/platform/script', { next: ['hidden_items'] })
  const read = async (): Promise<unknown> =>
    (await h.json(`/platform/inventory/${USER}/730/2`)).total_inventory_count
  assert.deepEqual([await read(), await read()], [0, 40])
})

test('any other demand stops the start', async (t) => {
  const environment = { SANDBOX_PLATFORM_HEADERS: 'maybe' }
  await assert.rejects(startHarness(t, { environment }), /must be strict or off/)
})
