// What a soak or an attack takes for the cause of a case, and what it does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Case, explain } from './cases.ts'

const UNSEEN: Case = {
  kind: 'unclear_fault',
  market: 'market_a',
  cleared: false,
  facts: { state: 'failed', itemId: 'i-1', market: 'market_a', orderId: '11000001222' },
  token: 'declin00',
  orderState: 'placed',
  offerSeen: false,
}

const isExplained = (found: Case): boolean => explain([found], []).unexplained.length === 0

test('a buyer who declined before a look-up showed the offer explains an unclear end at market A', () => {
  assert.equal(isExplained(UNSEEN), true)
  assert.equal(isExplained({ ...UNSEEN, token: 'expire00' }), true)
})

test('nothing explains an unclear end of an offer that was seen, of a buyer who accepts, or at market B', () => {
  for (const change of [
    { offerSeen: true },
    { token: 'accept00' },
    { token: null },
    { market: 'market_b' },
    { facts: { ...UNSEEN.facts, state: 'reverted' } },
  ]) {
    assert.equal(isExplained({ ...UNSEEN, ...change }), false, JSON.stringify(change))
  }
})
