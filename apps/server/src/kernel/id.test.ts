import assert from 'node:assert/strict'
import { it } from 'node:test'
import { firstUuidOf, isUuid, newId, timeOfId } from './id.ts'

it('an id is a UUIDv7: version 7, variant 10, the time in front', () => {
  const id = newId(0x0190_1234_5678)
  assert.match(id, /^01901234-5678-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.ok(isUuid(id))
})

it('an id of version 7 says when it was made, and no other does', () => {
  const at = new Date('2026-03-01T12:00:00.123Z')
  const id = newId(at.getTime())
  assert.deepEqual(timeOfId(id.toUpperCase()), at)
  assert.equal(timeOfId(id.replace(/^(.{14})7/, '$14')), null)
  assert.equal(timeOfId('start'), null)
})

it('the first id of a millisecond is above every one of before and not above its own', () => {
  const at = 1_700_000_000_000
  assert.deepEqual(timeOfId(firstUuidOf(new Date(at))), new Date(at))
  assert.ok(newId(at - 1) < firstUuidOf(new Date(at)))
  assert.ok(firstUuidOf(new Date(at)) < newId(at))
})

it('ids of later milliseconds sort later', () => {
  assert.ok(newId(1_700_000_000_000) < newId(1_700_000_000_001))
})

it('ids of one millisecond sort in the order of their creation, also when there are very many', () => {
  const ids = Array.from({ length: 20_000 }, () => newId(1_700_000_000_002))
  assert.deepEqual(ids, ids.toSorted())
  assert.ok((ids.at(-1) ?? '') < newId(1_700_000_000_003 + ids.length))
})

it('ids of one millisecond differ, over many blocks of randomness', () => {
  const ids = new Set(Array.from({ length: 20_000 }, () => newId(1)))
  assert.equal(ids.size, 20_000)
})
