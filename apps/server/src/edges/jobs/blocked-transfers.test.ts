import assert from 'node:assert/strict'
import { it } from 'node:test'
import { manualClock } from '../../infra/testing/clock.ts'
import { createBlocked } from './blocked-transfers.ts'

const NOTHING = { decided: [], blocked: [] }
const blocked = (transferId: string) => ({ transferId, why: 'differs' as const })

it('a transfer is blocked in the rounds that do not look at it, until it is decided', () => {
  const clock = manualClock()
  const now = createBlocked(clock)
  assert.deepEqual(now('base', { decided: [], blocked: [blocked('a'), blocked('b')] }), [
    'differs',
    'differs',
  ])
  assert.deepEqual(now('bsc', NOTHING), [])
  clock.advance(5000)
  assert.equal(now('base', NOTHING).length, 2)
  assert.deepEqual(now('base', { decided: ['a'], blocked: [] }), ['differs'])
  assert.deepEqual(now('base', { decided: ['b'], blocked: [] }), [])
})

it('one that is looked at no more, because its block was replaced, is forgotten', () => {
  const clock = manualClock()
  const now = createBlocked(clock)
  now('base', { decided: [], blocked: [blocked('a')] })
  clock.advance(61_000)
  assert.deepEqual(now('base', NOTHING), [])
})
