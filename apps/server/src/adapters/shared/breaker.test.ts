import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { type ManualClock, manualClock } from '#infra/testing/clock'
import { type Breaker, createBreaker } from './breaker.ts'

const SETTINGS = { faultsToOpen: 3, openMs: 10_000, maxOpenMs: 40_000 }
let clock: ManualClock
let breaker: Breaker
beforeEach(() => {
  clock = manualClock()
  breaker = createBreaker(SETTINGS, { clock })
})

const call = (how: 'answered' | 'fault'): void => {
  assert.notEqual(breaker.admit('read').kind, 'wait')
  breaker.ended(how)
}
const opens = (): void => {
  for (let fault = 0; fault < 3; fault++) call('fault')
  assert.equal(breaker.state(), 'open')
}

describe('a breaker', () => {
  it('opens after so many faults in a row, and not after as many with an answer between', () => {
    call('fault')
    call('fault')
    call('answered')
    call('fault')
    call('fault')
    assert.equal(breaker.state(), 'closed')
    call('fault')
    assert.equal(breaker.state(), 'open')
  })

  it('says for how long nothing may leave', () => {
    opens()
    clock.advance(4000)
    for (const kind of ['purchase', 'read'] as const) {
      assert.deepEqual(breaker.admit(kind), { kind: 'wait', retryAfterMs: 6000 })
    }
  })

  it('then lets one read find out, and no purchase', () => {
    opens()
    clock.advance(10_000)
    assert.equal(breaker.state(), 'half-open')
    assert.equal(breaker.admit('purchase').kind, 'wait')
    assert.equal(breaker.admit('read').kind, 'probe')
    assert.equal(breaker.admit('read').kind, 'wait', 'one at a time')
    breaker.ended('answered')
    assert.equal(breaker.state(), 'closed')
    assert.equal(breaker.admit('purchase').kind, 'go')
  })

  it('stays open twice as long after each failed probe, up to a bound', () => {
    opens()
    for (const nextMs of [20_000, 40_000, 40_000]) {
      clock.advance(40_000)
      call('fault')
      assert.deepEqual(breaker.admit('read'), { kind: 'wait', retryAfterMs: nextMs })
    }
  })

  it('is not held open by calls that left before and come back lost', () => {
    for (let left = 0; left < 10; left++) breaker.admit('read')
    for (let lost = 0; lost < 10; lost++) breaker.ended('fault')
    assert.deepEqual(breaker.admit('read'), { kind: 'wait', retryAfterMs: 10_000 })
  })

  it('lets another probe go when the first did not leave', () => {
    opens()
    clock.advance(10_000)
    assert.equal(breaker.admit('read').kind, 'probe')
    breaker.ended('neither')
    assert.equal(breaker.admit('read').kind, 'probe')
  })
})
