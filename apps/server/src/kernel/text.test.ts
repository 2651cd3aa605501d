import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cut, isPlain, plainOf } from './text.ts'

test('what PostgreSQL refuses is replaced, one character for one, and all else stays', () => {
  assert.equal(plainOf('a\0b\ud800c\udc00'), 'a\uFFFDb\uFFFDc\uFFFD')
  assert.equal(plainOf('★ 龍 😀'), '★ 龍 😀')
})

test('a text that is cut within a character is plain', () => {
  assert.equal(cut('ab😀', 3), 'ab\uFFFD')
  assert.equal(cut('ab😀', 4), 'ab😀')
})

test('any text is plain and short enough after a cut', () => {
  const anything = fc.string({ unit: fc.constantFrom('a', '\0', '\ud83d', '\ude00', '😀') })
  fc.assert(
    fc.property(anything, fc.nat(20), (text, most) => {
      const kept = cut(text, most)
      assert.ok(isPlain(kept) && kept.length <= most)
      assert.equal(isPlain(text), plainOf(text) === text)
    }),
  )
})
