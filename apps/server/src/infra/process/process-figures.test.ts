import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { manualClock } from '../testing/clock.ts'
import { BUYS, createProcessFigures, READS, SLOW_READS } from './process-figures.ts'

const BUY = { method: 'POST', route: '/market/buy', status: 200 }
const READ = { method: 'GET', route: '/market/items/:itemId', status: 200 }

function given(t: { after(end: () => void): void }) {
  const clock = manualClock(new Date('2026-11-20T12:00:10.000Z'))
  const figures = createProcessFigures(clock)
  t.after(() => figures.stop())
  return { clock, figures }
}

test('requests of five minutes are counted, and of them those that failed', (t) => {
  const { clock, figures } = given(t)
  figures.observe({ ...READ, seconds: 0.01 })
  figures.observe({ ...READ, status: 503, seconds: 0.01 })
  figures.observe({ ...READ, status: 404, seconds: 0.01 })
  clock.advance(240_000)
  figures.observe({ ...READ, seconds: 0.01 })
  assert.deepEqual([figures.read().requests, figures.read().failed], [4, 1])
  clock.advance(60_000)
  assert.deepEqual([figures.read().requests, figures.read().failed], [1, 0])
  clock.advance(3_600_000)
  assert.deepEqual([figures.read().requests, figures.read().readSeconds], [0, null])
})

test('99 of 100 buys, and of reads, stay within a bound; refusals and requests that wait do not count', (t) => {
  const { figures } = given(t)
  for (let i = 0; i < 198; i++) figures.observe({ ...BUY, seconds: 0.02 })
  figures.observe({ ...BUY, seconds: 3 })
  figures.observe({ ...BUY, seconds: 3 })
  assert.deepEqual([figures.read().buySeconds, figures.read().readSeconds], [0.025, null])
  figures.observe({ ...BUY, seconds: 30 })
  assert.equal(figures.read().buySeconds, 5)
  figures.observe({ ...READ, seconds: 0.2 })
  figures.observe({ ...READ, status: 429, seconds: 9 })
  figures.observe({ ...READ, route: '/merchant/events', seconds: 9 })
  figures.observe({ ...READ, route: '/dashboard/api/admin/health', seconds: 9 })
  assert.equal(figures.read().readSeconds, 0.25)
})

test('the first history is none that changed', (t) => {
  const { clock, figures } = given(t)
  figures.noteHistory('7/1')
  figures.noteHistory('7/1')
  assert.equal(figures.read().historyChangedAt, null)
  figures.noteHistory('7/2')
  const changedAt = clock.now()
  clock.advance(60_000)
  figures.noteHistory('7/2')
  assert.deepEqual(figures.read().historyChangedAt, changedAt)
})

test('the objectives of Prometheus have the same classes of routes', () => {
  const path = join(import.meta.dirname, '../../../../../deploy/prometheus/objectives.yml')
  const text = readFileSync(path, 'utf8')
  assert.ok(text.includes(`method="POST",route=~"${BUYS}"`))
  assert.ok(text.includes(`route=~"${READS}",route!~"${SLOW_READS}"`))
})
