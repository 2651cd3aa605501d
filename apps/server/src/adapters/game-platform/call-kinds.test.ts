// The headers without which the platform answers 429, as a server sees them, and the file that replaces them.
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createHttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { openGuard } from '#infra/testing/open-guard'
import { emptyGameBook } from '../shared/game-book.ts'
import { CALL_KINDS, readCallKinds } from './call-kinds.ts'
import { createInventories } from './inventories.ts'
import { BOT, givenBotCalls, givenPlatformCalls, givenTradeUrls } from './testing/platform-calls.ts'

test('every call is made with the headers of its kind, as the platform’s own client makes it', async (context) => {
  const seen = new Map<string, IncomingHttpHeaders>()
  const server = createServer(({ url = '', headers }, reply) => {
    seen.set(url.replace(/\?.*/, ''), headers)
    reply.end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
  context.after(async () => {
    await http.close()
    server.closeAllConnections()
    server.close()
  })
  const communityUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const reading = { requestId: 'headers', guard: openGuard }

  await givenTradeUrls(http, communityUrl).resolveTradeUrl(
    { partner: 7, token: 'accept00', platformId: '76561197960265735', canonical: '' },
    { requestId: 'headers', tenantId: 'a tenant' },
  )
  await createInventories({
    ...{ communityUrl, platformCalls: givenPlatformCalls(http, communityUrl), log: silentLog },
    ...{ clock: systemClock, gameBook: emptyGameBook, keptMs: 0, deadlineMs: 2000 },
  }).read('76561198000000002', { requestId: 'headers', tenantId: 'a tenant', notBefore: null })
  const calls = givenBotCalls(http, communityUrl)
  const call = { bot: BOT, operation: 'test', context: reading }
  await calls.ask({ ...call, operation: 'GetTradeOffers', query: {} })
  await calls.get({ ...call, kind: 'confirmations-list', path: '/mobileconf/getlist', query: {} })
  await calls.post({
    ...{ ...call, kind: 'send', path: '/tradeoffer/new/send', form: {} },
    referer: '/tradeoffer/new/?partner=7&token=accept00',
  })

  assert.deepEqual([...seen.keys()].sort(), [
    '/api/IEconService/GetTradeOffers/v1/',
    '/inventory/76561198000000002/730/2',
    '/mobileconf/getlist',
    '/tradeoffer/new/',
    '/tradeoffer/new/send',
  ])
  for (const [path, headers] of seen) {
    assert.equal(headers['user-agent'], 'okhttp/4.9.2', path)
    assert.match(headers['accept-language'] ?? '', /^en-US/, path)
  }
  const offerPage = `${communityUrl}/tradeoffer/new/?partner=7&token=accept00`
  assert.equal(seen.get('/tradeoffer/new/')?.referer, offerPage)
  assert.equal(seen.get('/tradeoffer/new/send')?.referer, offerPage)
  assert.equal(seen.get('/tradeoffer/new/send')?.origin, communityUrl)
  assert.equal(seen.get('/mobileconf/getlist')?.cookie, 'c')
})

test('a file replaces single values and leaves the others', () => {
  const kinds = readCallKinds(
    '{"send":{"headers":{"referer":null,"x-new":"{site}/a"}},"inventory":{"paceMs":2000}}',
  )
  const { referer, ...others } = CALL_KINDS.send.headers
  assert.ok(referer)
  assert.deepEqual(kinds.send.headers, { ...others, 'x-new': '{site}/a' })
  assert.equal(kinds.send.paceMs, CALL_KINDS.send.paceMs)
  assert.deepEqual(kinds.inventory.headers, CALL_KINDS.inventory.headers)
  assert.equal(kinds.inventory.paceMs, 2000)
  assert.deepEqual(kinds.cancel, CALL_KINDS.cancel)
})

for (const [what, json, problem] of [
  ['no JSON', '{', /no JSON object/],
  ['a list', '[]', /no JSON object/],
  ['an unknown kind', '{"sends":{}}', /no kind "sends"/],
  ['an inherited name', '{"constructor":{}}', /no kind "constructor"/],
  ['an unknown field', '{"send":{"pace":100}}', /no field "pace"/],
  ['a kind that is no object', '{"send":null}', /send is no object/],
  ['headers that are a list', '{"send":{"headers":[]}}', /headers of send/],
  ['a line break', '{"send":{"headers":{"referer":"a\\r\\nx: y"}}}', /one line/],
  ['a number', '{"send":{"headers":{"referer":7}}}', /one line/],
  ['an empty header', '{"send":{"headers":{"referer":""}}}', /one line/],
  ['a letter beyond ASCII', '{"send":{"headers":{"referer":"ü"}}}', /one line/],
  ['a name with a space', '{"send":{"headers":{"a b":"c"}}}', /cannot have a header "a b"/],
  ['the session', '{"send":{"headers":{"cookie":"c"}}}', /cannot have a header "cookie"/],
  ['a pace below 50 ms', '{"send":{"paceMs":49}}', /from 50 to/],
  ['a pace of half a millisecond', '{"send":{"paceMs":50.5}}', /from 50 to/],
  ['a pace that is a text', '{"send":{"paceMs":"500"}}', /from 50 to/],
] as const) {
  test(`a file with ${what} is refused`, () => {
    assert.throws(() => readCallKinds(json), problem)
  })
}
