import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeBatch } from './changed-names.ts'

/** Of each name, by its number, how many listings it had. */
const counts = new Map([
  ['1', 6_000],
  ['2', 3_000],
  ['3', 20_000],
  ['4', 10],
])
const names = { nameOf: (nameId: string) => (counts.has(nameId) ? `name ${nameId}` : null) }
const book = { countOf: (name: string) => counts.get(name.slice('name '.length)) ?? 0 }

test('names are read again in answers of some ten thousand listings, a larger one alone', () => {
  const changed = new Set(['1', '2', '3', '4'])
  const batches: string[][] = []
  while (changed.size > 0) batches.push([...takeBatch(changed, names, book).values()])
  assert.deepEqual(batches, [['1', '2'], ['3'], ['4']])
})

test('a name whose number is not known yet waits, and keeps none behind it', () => {
  const changed = new Set(['77', '1'])
  assert.deepEqual([...takeBatch(changed, names, book)], [['name 1', '1']])
  assert.deepEqual([...changed], ['77'])
})
