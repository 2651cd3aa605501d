import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isUuid, newId } from './id.ts'

it('an id is a UUIDv7: version 7, variant 10, the time in front', () => {
  const id = newId(0x0190_1234_5678)
  assert.match(id, /^01901234-5678-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.ok(isUuid(id))
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
