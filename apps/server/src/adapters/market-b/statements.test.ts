// Market B's history comes fifty rows at a time, the newest first, and grows while it is read.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createHttpClient, type HttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { wholePages } from '../shared/testing/whole-pages.ts'
import { createMarketB } from './index.ts'

const PAGE = 50
const START = Date.parse('2026-11-21T12:00:00.000Z')

interface Trade {
  readonly id: number
  readonly created: string
}
let trades: Trade[] = []
/** How many are bought while a page is on its way. */
let growsBy = 0
let forgets: number | null = null

const buyAnother = (): void => {
  const id = 1000 + trades.length
  trades.unshift({ id, created: new Date(START + trades.length * 1000).toISOString() })
}

const server: Server = createServer((request, reply) => {
  const url = new URL(request.url ?? '', 'http://market')
  reply.setHeader('content-type', 'application/json')
  if (url.pathname.endsWith('/history')) {
    const skip = Number(url.searchParams.get('skip'))
    const history = trades.slice(skip, skip + PAGE)
    for (let more = 0; more < growsBy; more++) buyAnother()
    reply.end(JSON.stringify({ success: true, history }))
    return
  }
  const ids = url.searchParams.getAll('id').map(Number)
  assert.ok(ids.length <= 100, 'no more than a hundred in a call')
  const rows = ids
    .filter((id) => id !== forgets)
    .map((id) => ({ id, status: 4, project_id: `c-${id}`, price: 5, release_date: null }))
  reply.end(JSON.stringify({ success: true, trades: rows }))
})

let http: HttpClient
before(async () => {
  http = createHttpClient({ log: silentLog, metrics: createMetrics() })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
})
after(async () => {
  await http.close()
  server.closeAllConnections()
  server.close()
})

const read = async (from: Date) => {
  const { statements } = createMarketB({
    keepPages: wholePages,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'k',
    http,
    clock: systemClock,
    rng: Math.random,
    log: silentLog,
    metrics: createMetrics(),
    callsPerMinute: 0,
    reserveSlot: async () => ({ kind: 'granted', waitMs: 0, giveBack: async () => {} }) as const,
  })
  const answer = await statements.read(from, { requestId: 'r' })
  assert.ok(answer.kind === 'read')
  return answer
}

const given = (count: number, options: { readonly growsBy?: number } = {}): void => {
  trades = []
  growsBy = options.growsBy ?? 0
  forgets = null
  for (let at = 0; at < count; at++) buyAnother()
}

test('all pages are read, with our ids from the trades behind them', async () => {
  given(230)
  const { lines, isWhole } = await read(new Date(0))
  assert.deepEqual([lines.length, isWhole], [230, true])
  assert.ok(lines.every(({ orderId, customId }) => customId === `c-${orderId}`))
})

test('reading ends with the page that is older than the window', async () => {
  given(230)
  const from = new Date(START + 200_000)
  const { lines, isWhole } = await read(from)
  assert.deepEqual([lines.length, isWhole], [30, true])
  assert.ok(lines.every(({ placedAt }) => placedAt >= from))
})

test('purchases that come in between two pages make none come twice and none go missing', async () => {
  given(120, { growsBy: 7 })
  const { lines } = await read(new Date(0))
  const ids = new Set(lines.map(({ orderId }) => Number(orderId)))
  assert.equal(ids.size, lines.length)
  for (let id = 1000; id < 1120; id++) assert.ok(ids.has(id), `${id}`)
})

test('a trade that cannot be looked up leaves the statement incomplete', async () => {
  given(3)
  forgets = 1001
  const { lines, isWhole } = await read(new Date(0))
  assert.deepEqual([lines.length, isWhole], [2, false])
})
