import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveChangeOf, removalFrame } from './live-change.ts'

test('a removal is one frame for all who are sent it', () => {
  const event = { id: 7n, itemId: null, listing: null, appeared: false, atMs: 5 }
  const change = liveChangeOf(event, 'filter')
  assert.equal(removalFrame(change), removalFrame(change))
  assert.match(removalFrame(change).bytes.toString(), /"market\.remove".*"7"/)
})
