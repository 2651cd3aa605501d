// The headers without which the community site answers 429, as a server sees them.
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createHttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { emptyGameBook } from '../shared/game-book.ts'
import { createBotCalls } from './calls.ts'
import { createInventories } from './inventories.ts'
import { createTradeUrls } from './trade-urls.ts'

test('every page of the community site is asked for as the platform’s own client does', async (context) => {
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
  const shared = { communityUrl, http, clock: systemClock, log: silentLog, spend: async () => 0 }
  const requestId = 'headers'
  const bot = {
    platformId: '76561198000000001',
    identitySecret: '',
    refreshToken: '',
  }

  await createTradeUrls({
    ...shared,
    communityHost: 'steamcommunity.com',
    spacingMs: 0,
    inventorySpacingMs: 0,
    barredMs: 0,
  }).resolveTradeUrl(
    { partner: 7, token: 'accept00', platformId: '76561197960265735', canonical: '' },
    { requestId, tenantId: 'a tenant' },
  )
  await createInventories({
    ...shared,
    gameBook: emptyGameBook,
    spacingMs: 0,
    keptMs: 0,
    barredMs: 0,
    deadlineMs: 2000,
  }).read('76561198000000002', { requestId, tenantId: 'a tenant', notBefore: null })
  const calls = createBotCalls({
    ...shared,
    apiUrl: communityUrl,
    sessions: {
      get: async () => ({
        kind: 'session',
        session: {
          ...{ platformId: bot.platformId, accessToken: 't', cookie: 'c', sessionId: 's' },
          expiresAt: new Date(),
        },
      }),
      forget: () => {},
    },
    spacingMs: 0,
    siteSpacingMs: 0,
    barredMs: 0,
    deadlineMs: 2000,
    sendDeadlineMs: 2000,
  })
  const operation = 'test'
  await calls.get({
    bot,
    operation,
    path: '/mobileconf/getlist',
    query: {},
    context: { requestId },
  })
  await calls.post({
    ...{ bot, operation, path: '/tradeoffer/new/send', form: {}, context: { requestId } },
    referer: '/tradeoffer/new/?partner=7&token=accept00',
  })

  assert.deepEqual([...seen.keys()].sort(), [
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
})
