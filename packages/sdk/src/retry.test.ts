import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isPassing, pauseMs, readRetryAfter } from './retry.ts'

it('what the service asks for is a floor, and at most a tenth is added', () => {
  assert.equal(pauseMs({ attempts: 1, retryAfterMs: 12_000, random: 0 }), 12_000)
  assert.equal(pauseMs({ attempts: 1, retryAfterMs: 12_000, random: 0.999_999 }), 13_200)
})

it('a pause that nobody asked for doubles up to 8 s, and half of it is chance', () => {
  const longest = [1, 2, 3, 9].map((attempts) =>
    pauseMs({ attempts, retryAfterMs: null, random: 0.999_999 }),
  )
  assert.deepEqual(longest, [250, 500, 1000, 8000])
  assert.equal(pauseMs({ attempts: 1, retryAfterMs: null, random: 0 }), 125)
})

it('retry-after is read as seconds or as a date, and nonsense as nothing', () => {
  const nowMs = Date.UTC(2026, 10, 21, 9, 30, 0)
  assert.equal(readRetryAfter('12', nowMs), 12_000)
  assert.equal(readRetryAfter('0', nowMs), 0)
  assert.equal(readRetryAfter('Sat, 21 Nov 2026 09:30:05 GMT', nowMs), 5000)
  assert.equal(readRetryAfter('Sat, 21 Nov 2026 09:00:00 GMT', nowMs), 0)
  for (const nonsense of [null, '', '-1', '1.5', '99999999999', 'soon', '1e3']) {
    assert.equal(readRetryAfter(nonsense, nowMs), null, String(nonsense))
  }
})

it('only statuses that pass by themselves are worth another attempt', () => {
  assert.deepEqual([408, 429, 500, 502, 503, 504].filter(isPassing).length, 6)
  assert.deepEqual([301, 400, 401, 402, 403, 404, 409, 422, 501].filter(isPassing), [])
})
