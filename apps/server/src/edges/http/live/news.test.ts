import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newsOf, removalFrame } from './news.ts'

test('a removal is one frame for all who are sent it', () => {
  const event = { id: 7n, itemId: null, listing: null, appeared: false, atMs: 5 }
  const news = newsOf(event, 'filter')
  assert.equal(removalFrame(news), removalFrame(news))
  assert.match(removalFrame(news).bytes.toString(), /"market\.remove".*"7"/)
})
