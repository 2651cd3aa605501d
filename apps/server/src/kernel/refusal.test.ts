import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from './refusal.ts'

test('a refusal has its key and details and no stack, and other errors keep theirs', () => {
  const refusal = new Refusal('RATE_LIMITED', { limit: 60 })
  assert.ok(refusal instanceof Error)
  assert.deepEqual([refusal.key, refusal.details], ['RATE_LIMITED', { limit: 60 }])
  assert.equal(refusal.stack?.includes('\n'), false)
  assert.match(new Error('other').stack ?? '', /\n {4}at /)
})
