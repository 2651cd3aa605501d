import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOnBehalfOf } from './on-behalf-of.ts'

const read = (value: string | undefined) =>
  readOnBehalfOf(value === undefined ? {} : { 'on-behalf-of': value })
/** As Node hands over the bytes of UTF-8. */
const onTheWire = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

test('a call without the header is for the merchant itself', () => {
  assert.deepEqual(read(undefined), { kind: 'none' })
})

test('a reference of 1 to 128 characters is taken', () => {
  for (const text of ['a', 'x'.repeat(128), '019aa000-0000-7000-8000-000000000002']) {
    assert.deepEqual(read(text), { kind: 'given', text })
  }
})

test('characters count, not bytes', () => {
  const text = '😀'.repeat(128)
  assert.deepEqual(read(onTheWire(text)), { kind: 'given', text })
})

test('UTF-8 and Latin-1 bytes name the same sub-user', () => {
  assert.deepEqual(read(onTheWire('häns')), { kind: 'given', text: 'häns' })
  assert.deepEqual(read('h\u00e4ns'), { kind: 'given', text: 'häns' })
})

test('an empty, an overlong and a control-character reference are refused by rule', () => {
  for (const [value, rule] of [
    ['', 'minLength'],
    ['x'.repeat(129), 'maxLength'],
    [onTheWire('😀'.repeat(129)), 'maxLength'],
    ['a\tb', 'pattern'],
    ['a\u007f', 'pattern'],
  ] as const) {
    const answer = read(value)
    assert.equal(answer.kind, 'invalid')
    if (answer.kind !== 'invalid') return
    assert.equal(answer.problem.rule, rule)
    assert.equal(answer.problem.in, 'header')
    assert.equal(answer.problem.pointer, '/on-behalf-of')
  }
})
