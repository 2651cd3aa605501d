import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../infra/testing/clock.ts'
import { createSessionDoubts } from './session-doubts.ts'

const given = () => {
  const clock = manualClock()
  const session = {
    ...{ platformId: '1', accessToken: 't', cookie: 'c', sessionId: 's' },
    expiresAt: new Date(),
  }
  const doubts = createSessionDoubts(clock)
  const isSpared = (status: number, { operation = 'Holds', isRenewed = false } = {}): boolean =>
    doubts.isSpared(session, { status, operation, isRenewed })
  return { clock, session, doubts, isSpared }
}

test('a 403 of one call of the Web API ends no session, unless the next call of it fails too', () => {
  const { session, doubts, isSpared } = given()
  assert.equal(isSpared(403), true)
  doubts.served(session)
  assert.equal(isSpared(403), true)
  assert.equal(isSpared(403, { operation: 'Offers' }), false)
})

test('a 401 ends a session, but not one that was begun for the same call', () => {
  const { clock, isSpared } = given()
  assert.equal(isSpared(401), false)
  assert.equal(isSpared(401, { isRenewed: true }), true)
  assert.equal(isSpared(401), true)
  assert.equal(isSpared(401, { operation: 'Offers' }), false)
  clock.advance(600_000)
  assert.equal(isSpared(401), false)
})
