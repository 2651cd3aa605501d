import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { WebhookAnswer } from './ports.ts'
import {
  isGone,
  isSuccess,
  mustDisable,
  noticesDue,
  RETRY_DELAYS_MS,
  retryDelayMs,
} from './schedule.ts'

const answered = (status: number, retryAfterSeconds: number | null = null): WebhookAnswer => ({
  kind: 'answered',
  status,
  body: '',
  retryAfterSeconds,
})
const HOUR = 3_600_000

describe('the retry schedule', () => {
  it('makes eleven retries over about fifteen hours', () => {
    assert.equal(RETRY_DELAYS_MS.length, 11)
    const total = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0)
    assert.equal(total, 53_555_000)
    assert.equal(retryDelayMs(12, answered(500), 0.5), null)
  })

  it('waits each step within ten percent', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 11 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (n, chance) => {
          const step = RETRY_DELAYS_MS[n - 1] as number
          const wait = retryDelayMs(n, answered(500), chance) as number
          assert.ok(wait >= Math.floor(step * 0.9) && wait <= Math.ceil(step * 1.1))
        },
      ),
    )
  })

  it('honours Retry-After between the step and twice the step', () => {
    assert.equal(retryDelayMs(3, answered(503, 1), 0.5), 120_000)
    assert.equal(retryDelayMs(3, answered(503, 180), 0.5), 180_000)
    assert.equal(retryDelayMs(3, answered(503, 86_400), 0.5), 240_000)
  })

  it('gives an overloaded endpoint a minute at least', () => {
    for (const answer of [
      answered(429),
      answered(502),
      answered(504),
      { kind: 'timeout' } as const,
    ]) {
      assert.equal(retryDelayMs(1, answer, 0.5), 60_000)
    }
    assert.equal(retryDelayMs(1, answered(503), 0.5), 5_000)
  })

  it('takes only 2xx for success: a redirect is a failure', () => {
    assert.deepEqual(
      [200, 204, 299, 301, 302, 307, 400, 410, 500].filter((status) => isSuccess(answered(status))),
      [200, 204, 299],
    )
    assert.equal(isSuccess({ kind: 'blocked' }), false)
    assert.equal(isGone(answered(410)), true)
  })
})

describe('disabling an endpoint', () => {
  const since = new Date(0)
  const at = (hours: number) => new Date(hours * HOUR)
  const failing = { failingSince: since, failedAttempts: 10, exhaustedDeliveries: 1 }

  it('needs 72 hours, a delivery out of retries and ten failures, all three', () => {
    assert.equal(mustDisable(failing, at(72)), true)
    assert.equal(mustDisable(failing, at(71.9)), false)
    assert.equal(mustDisable({ ...failing, failedAttempts: 9 }, at(100)), false)
    assert.equal(mustDisable({ ...failing, exhaustedDeliveries: 0 }, at(100)), false)
  })

  it('is announced after 24 and 48 hours', () => {
    assert.deepEqual(noticesDue(failing, at(23)), [])
    assert.deepEqual(noticesDue(failing, at(24)), ['failing_24h'])
    assert.deepEqual(noticesDue(failing, at(48)), ['failing_24h', 'failing_48h'])
  })
})
