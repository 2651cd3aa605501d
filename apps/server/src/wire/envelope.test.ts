import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERRORS, type ErrorKey } from '@tradepost/contract'
import { failureText, SUCCESS_TAIL, successHead, successText } from './envelope.ts'

const ID = '01a1fbe7-3e1a-792b-95af-0cb67004518c'

test('a success wraps the text of its shape as it is', () => {
  const text = successText(ID, '{"a":[1,2]}')
  assert.deepEqual(JSON.parse(text), { requestId: ID, success: true, data: { a: [1, 2] } })
  assert.equal(`${successHead(ID)}{"a":[1,2]}${SUCCESS_TAIL}`, text)
})

test('every key has its code and message, and meta only when there are details', () => {
  for (const key of Object.keys(ERRORS) as ErrorKey[]) {
    const { code, message } = ERRORS[key]
    const expected = { requestId: ID, success: false, error: { code, key, message } }
    assert.deepEqual(JSON.parse(failureText(ID, { key })), expected)
    assert.deepEqual(JSON.parse(failureText(ID, { key, meta: {} })), expected)
  }
  const meta = { reason: 'switched_off' }
  assert.deepEqual(JSON.parse(failureText(ID, { key: 'GATEWAY_UNAVAILABLE', meta })).error, {
    ...{ code: 1606, key: 'GATEWAY_UNAVAILABLE', meta },
    message: 'This way of paying is not set up at this service.',
  })
})

test('details may hold cents, and a narrower cause its own sentence', () => {
  const text = failureText(ID, {
    key: 'INSUFFICIENT_BALANCE',
    message: 'Not enough.',
    meta: { requiredCents: 9_007_199_254_740_991n, nested: [{ cents: 1n }] },
  })
  assert.equal(JSON.parse(text).error.message, 'Not enough.')
  assert.deepEqual(JSON.parse(text).error.meta, {
    requiredCents: 9_007_199_254_740_991,
    nested: [{ cents: 1 }],
  })
})
