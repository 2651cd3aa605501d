import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBody, UnreadBody } from './body.ts'

interface Parsed {
  value?: unknown
  key?: string
  status?: number
  pointer?: string
  rule?: string
}

const parse = (text: string | Buffer): Parsed => {
  const body = parseBody(Buffer.from(text as string))
  if (!(body instanceof UnreadBody)) return { value: body.value }
  const { key, status, meta } = body.failure
  const [problem] = (meta?.errors ?? []) as { pointer: string; rule: string }[]
  return { key, status, ...(problem && { pointer: problem.pointer, rule: problem.rule }) }
}

test('JSON is read, at any depth that a shape could have', () => {
  assert.deepEqual(parse('{"a":[1,"\\u00e4",null]}'), { value: { a: [1, 'ä', null] } })
  assert.ok('value' in parse('['.repeat(32) + ']'.repeat(32)))
})

test('what is not JSON is malformed, however deep', () => {
  const malformed = { key: 'BAD_REQUEST', status: 400 }
  for (const text of [
    '',
    '{',
    '{a:1}',
    '[1,]',
    'NaN',
    '\ufeff{}',
    '{"a":"\n"}',
    '['.repeat(10_000),
  ]) {
    assert.deepEqual(parse(text), malformed, text.slice(0, 10))
  }
})

test('bytes that are not UTF-8 are malformed', () => {
  assert.deepEqual(parse(Buffer.from([0x22, 0xff, 0x22])), { key: 'BAD_REQUEST', status: 400 })
  assert.equal(parse(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])).key, 'BAD_REQUEST')
})

test('nesting of ten thousand levels is refused by rule and without recursion', () => {
  const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  for (const text of ['['.repeat(10_000) + ']'.repeat(10_000), deep]) {
    assert.deepEqual(parse(text), {
      key: 'VALIDATION_FAILED',
      status: 422,
      pointer: '',
      rule: 'maxDepth',
    })
  }
})

test('brackets inside strings are not depth', () => {
  const text = JSON.stringify({ a: `${'['.repeat(100)}"\\"{{`, b: '\\'.repeat(50) })
  assert.deepEqual(parse(text), { value: JSON.parse(text) })
})

test('NUL and halves of surrogate pairs are refused where they stand', () => {
  const at = (text: string) => {
    const { key, pointer, rule } = parse(text)
    assert.equal(key, 'VALIDATION_FAILED')
    assert.equal(rule, 'characters')
    return pointer
  }
  assert.equal(at('{"a":["x","\\u0000"]}'), '/a/1')
  assert.equal(at('{"a/b":"\\ud800"}'), '/a~1b')
  assert.equal(at('{"a":{"\\udfff":1}}'), '/a')
  assert.deepEqual(parse('"\\ud83d\\ude00"'), { value: '😀' })
})

test('a field that would be the prototype is no known field, however it is spelt', () => {
  for (const text of ['{"a":{"__proto__":{"x":1}}}', '{"a":{"\\u005f_proto__":1}}']) {
    assert.deepEqual(parse(text), {
      key: 'VALIDATION_FAILED',
      status: 422,
      pointer: '/a/__proto__',
      rule: 'additionalProperties',
    })
  }
})
