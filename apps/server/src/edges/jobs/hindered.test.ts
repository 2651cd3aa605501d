import assert from 'node:assert/strict'
import { it } from 'node:test'
import { manualClock } from '../../infra/testing/clock.ts'
import { createHindered } from './hindered.ts'

const NOTHING = { decided: [], hindered: [] }
const hindered = (transferId: string) => ({ transferId, why: 'differs' as const })

it('a transfer is hindered in the rounds that do not look at it, until it is decided', () => {
  const clock = manualClock()
  const now = createHindered(clock)
  assert.deepEqual(now('base', { decided: [], hindered: [hindered('a'), hindered('b')] }), [
    'differs',
    'differs',
  ])
  assert.deepEqual(now('bsc', NOTHING), [])
  clock.advance(5000)
  assert.equal(now('base', NOTHING).length, 2)
  assert.deepEqual(now('base', { decided: ['a'], hindered: [] }), ['differs'])
  assert.deepEqual(now('base', { decided: ['b'], hindered: [] }), [])
})

it('one that is looked at no more, because its block was replaced, is forgotten', () => {
  const clock = manualClock()
  const now = createHindered(clock)
  now('base', { decided: [], hindered: [hindered('a')] })
  clock.advance(61_000)
  assert.deepEqual(now('base', NOTHING), [])
})
