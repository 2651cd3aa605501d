import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHarness } from '../testing/harness.ts'
import { publicationDay, ratesOf } from './rates.ts'

test('rates have the shape of the bank’s own file', async (t) => {
  const h = await startHarness(t)
  const response = await h.get('/fx/stats/eurofxref/eurofxref-daily.xml')
  assert.match(response.headers.get('content-type') ?? '', /xml/)
  const xml = await response.text()
  assert.match(xml, /<Cube time='2026-09-29'>/)
  assert.match(xml, /<Cube currency='USD' rate='1\.\d{1,4}'\/>/)
  assert.equal(xml.match(/<Cube currency=/g)?.length, 30)
})

test('a day is published in the afternoon, and weekends keep Friday', () => {
  assert.equal(publicationDay(Date.UTC(2026, 8, 30, 14, 59)), '2026-09-29')
  assert.equal(publicationDay(Date.UTC(2026, 8, 30, 15, 0)), '2026-09-30')
  assert.equal(publicationDay(Date.UTC(2026, 9, 4, 18, 0)), '2026-10-02')
  assert.equal(publicationDay(Date.UTC(2026, 9, 5, 9, 0)), '2026-10-02')
})

test('rates move a little each day and are the same under one seed', () => {
  const usd = (day: string, seed: number): number => Number(new Map(ratesOf(day, seed)).get('USD'))
  const days = Array.from({ length: 28 }, (_, at) => `2026-09-${String(at + 1).padStart(2, '0')}`)
  assert.ok(new Set(days.map((day) => usd(day, 1))).size > 10)
  for (const day of days) assert.ok(Math.abs(usd(day, 1) / 1.17 - 1) <= 0.0051, day)
  assert.equal(usd('2026-09-01', 1), usd('2026-09-01', 1))
})
