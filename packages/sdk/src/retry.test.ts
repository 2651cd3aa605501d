import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isTransient, pauseMs, readRetryAfter } from './retry.ts'

it('retry-after is the minimum, and at most a tenth is added', () => {
  assert.equal(pauseMs({ attempts: 1, retryAfterMs: 12_000, random: 0 }), 12_000)
  assert.equal(pauseMs({ attempts: 1, retryAfterMs: 12_000, random: 0.999_999 }), 13_200)
})

it('without retry-after the pause doubles up to 8 s, and half of it is random', () => {
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

it('only transient statuses are retried', () => {
  assert.deepEqual([408, 429, 500, 502, 503, 504].filter(isTransient).length, 6)
  assert.deepEqual([301, 400, 401, 402, 403, 404, 409, 422, 501].filter(isTransient), [])
})
