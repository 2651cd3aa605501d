// What other people wrote turns nothing of ours around.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isolating, visible } from './foreign.ts'

it('a character that turns text around, or that is not seen, is shown as its escape', () => {
  assert.equal(visible('\u202Eabc'), '\\u202Eabc')
  assert.equal(
    visible('a\u0007\u061C\u200F\u2028\u2067b\u2069\u2068'),
    'a\\u0007\\u061C\\u200F\\u2028\\u2067b\\u2069\\u2068',
  )
  assert.equal(
    visible('Ünïcode, \u{1F469}\u200D\u{1F467}\n\tmore'),
    'Ünïcode, \u{1F469}\u200D\u{1F467}\n\tmore',
  )
})

it('a sentence isolates the texts that it is given, once, and is the same without letters from the right', () => {
  const words = isolating({
    list: ['one'],
    of: { fund: (name: string, count: number) => `Fund ${name}, ${count}` },
  })
  assert.deepEqual(words.list, ['one'])
  assert.equal(words.of.fund('clara', 2), 'Fund clara, 2')
  assert.equal(words.of.fund('\u202Eabc', 2), 'Fund \\u202Eabc, 2')
  const name = 'א1'
  assert.equal(words.of.fund(name, 2), `Fund \u2068${name}\u2069, 2`)
  assert.equal(
    words.of.fund(words.of.fund(name, 2), 3),
    `Fund \u2068Fund \u2068${name}\u2069, 2\u2069, 3`,
  )
})
