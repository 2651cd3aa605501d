import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { beginsWithOneError, compareCodePoints, searchWordsOf, wordsOf } from './words.ts'

test('a name falls into words; signs part them and marks do not count', () => {
  assert.deepEqual(wordsOf('★ StatTrak™ Karambit | Doppler (Factory New)'), [
    ...['★', 'stattrak', 'karambit', 'doppler', 'factory', 'new'],
  ])
  assert.deepEqual(wordsOf('Señorita İ ﬁre'), ['senorita', 'i', 'fire'])
  assert.deepEqual(wordsOf('|| () ™'), [])
})

test('what a sign joins is found as one word too', () => {
  assert.deepEqual(
    [...searchWordsOf('AK-47 | Neo-Noir')],
    ['ak', '47', 'ak47', 'neo', 'noir', 'neonoir'],
  )
})

test('one typing error is any one of the four', () => {
  for (const asked of ['redlime', 'rdline', 'reedline', 'erdline', 'redlien', 'bedline', 'redli']) {
    assert.ok(beginsWithOneError('redline', asked), asked)
  }
  for (const asked of ['rdlne', 'redlinexy', 'enilder', 'xxdline']) {
    assert.ok(!beginsWithOneError('redline', asked), asked)
  }
})

test('a word begins with one error exactly when some beginning of it is one edit away', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 })
  fc.assert(
    fc.property(letters, letters, (word, asked) => {
      const beginnings = Array.from({ length: word.length + 1 }, (_, i) => word.slice(0, i))
      const near = beginnings.some((beginning) => damerauDistance(beginning, asked) <= 1)
      assert.equal(beginsWithOneError(word, asked), near)
    }),
    { numRuns: 5000 },
  )
})

test('texts compare by code points, not by halves of them', () => {
  assert.ok(compareCodePoints('\u{1f600}', '\uff5e') > 0)
  assert.ok('\u{1f600}' < '\uff5e')
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(text, text, (left, right) => {
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right))
      assert.equal(Math.sign(compareCodePoints(left, right)), expected)
    }),
  )
})

/** Optimal string alignment, the textbook table. */
function damerauDistance(left: string, right: string): number {
  const rows = Array.from({ length: left.length + 1 }, (_, i) =>
    Array.from({ length: right.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  for (let i = 1; i <= left.length; i++) {
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1] ? 0 : 1
      let best = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + same)
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        best = Math.min(best, rows[i - 2]![j - 2]! + 1)
      }
      rows[i]![j] = best
    }
  }
  return rows[left.length]![right.length]!
}
