// With one call left in the budget, it is spent on the purchase of which nothing is known.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { ReserveSlot } from '#infra/database/call-slots'
import { createHttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { wholePages } from '../shared/testing/whole-pages.ts'
import { createMarketB } from './index.ts'

test('a purchase without an answer is looked up before orders that move', async (context) => {
  const calls: string[] = []
  const server = createServer(({ url = '' }, reply) => {
    const { pathname, searchParams } = new URL(url, 'http://market')
    const ids = searchParams.getAll('id')
    calls.push(`${pathname} ${ids.join(' ')}`)
    const trades = ids.map((id) => ({ id: 30717201, project_id: id, status: 2, price: 5 }))
    reply.end(JSON.stringify({ success: true, trades }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const metrics = createMetrics()
  const http = createHttpClient({ log: silentLog, metrics })
  context.after(async () => {
    await http.close()
    server.closeAllConnections()
    server.close()
  })
  let slots = 1
  const reserveSlot: ReserveSlot = async () =>
    slots-- > 0
      ? { kind: 'granted', waitMs: 0, giveBack: async () => {} }
      : { kind: 'refused', retryAfterMs: 60_000 }
  const { market } = createMarketB({
    keepPages: wholePages,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'k',
    http,
    clock: systemClock,
    rng: Math.random,
    log: silentLog,
    metrics,
    reserveSlot,
  })
  const seen = { offerSeen: false, acceptanceSeen: false }
  const answer = await market.lookUp(
    [
      { customId: 'moving', orderId: '7', ...seen },
      { customId: 'lost', orderId: null, ...seen },
    ],
    { requestId: 'look-up' },
  )
  assert.deepEqual(calls, ['/v1/check-many-project-id lost'])
  assert.ok(answer.kind === 'read')
  // Of the other nothing was learned: neither its state nor that it is absent.
  assert.deepEqual([...answer.orders.keys()], ['lost'])
})
