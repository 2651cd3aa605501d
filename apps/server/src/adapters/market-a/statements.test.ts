// Market A's history is one list for any window, cut at a length that no document names.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { manualClock } from '#infra/testing/clock'
import { CONTEXT, startSupplier } from '../shared/testing/supplier-server.ts'
import { createMarketA } from './index.ts'

const MOST = 5000
const DAY_SECONDS = 86_400

/** A market that has sold us something at each of these seconds, and shows the newest 5,000 of a window. */
async function open(context: TestContext, times: readonly number[]) {
  const asked: [from: number, until: number][] = []
  const rows = times.map((time, at) => ({
    ...{ item_id: String(at + 1), event: 'buy', stage: 2, time, paid: 5, currency: 'USD' },
    custom_id: `c-${at + 1}`,
  }))
  const { adapter, alarms } = await startSupplier(context, ({ url = '' }, reply) => {
    const { searchParams } = new URL(url, 'http://market')
    const [from, until] = ['date', 'date_end'].map((name) => Number(searchParams.get(name)))
    assert.ok(from !== undefined && until !== undefined)
    asked.push([from, until])
    const data = rows.filter(({ time }) => time >= from && time <= until).slice(-MOST)
    reply.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, data }))
  })
  const limits = { callSpacingMs: 0, takePermit: async () => assert.fail('there is no limit') }
  const clock = manualClock()
  const { statements } = createMarketA({ ...adapter, ...limits, clock })
  return { statements, asked, alarms, clock }
}

test('a statement of 20,000 purchases is whole, each of them once', async (context) => {
  const now = Math.floor(manualClock().now().getTime() / 1000)
  const since = now - 9 * DAY_SECONDS
  const times = Array.from({ length: 20_000 }, (_, at) => since + 1 + at * 38)
  const h = await open(context, times)
  const answer = await h.statements.read(new Date(since * 1000), CONTEXT)
  assert.ok(answer.kind === 'read')
  assert.deepEqual([answer.isWhole, answer.lines.length], [true, 20_000])
  assert.equal(new Set(answer.lines.map(({ orderId }) => orderId)).size, 20_000)
  assert.ok(h.asked.length > 4 && h.asked.length < 40, String(h.asked.length))
})

test('a window of few purchases is asked for once', async (context) => {
  const now = Math.floor(manualClock().now().getTime() / 1000)
  const h = await open(context, [now - 60, now])
  const answer = await h.statements.read(new Date((now - 3600) * 1000), CONTEXT)
  assert.deepEqual([answer.kind, h.asked.length], ['read', 1])
})

test('more purchases in five minutes than the market states make the statement cut, with an alarm', async (context) => {
  const now = Math.floor(manualClock().now().getTime() / 1000)
  const h = await open(
    context,
    Array.from({ length: 6000 }, () => now),
  )
  const answer = await h.statements.read(new Date((now - 3600) * 1000), CONTEXT)
  assert.ok(answer.kind === 'read')
  assert.equal(answer.isWhole, false)
  assert.deepEqual(
    [...new Set(h.alarms.map((fields) => (fields as { alarm?: string }).alarm))],
    ['statement_cut'],
  )
  for (const [from, until] of h.asked) assert.ok(until - from >= 150)
})
