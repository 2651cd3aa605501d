import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { fixed, prepareTail, type Segment, type SharedTail, segmentsOf } from './shared-tail.ts'
import { acceptsGzip } from './whole-answers.ts'

async function* piecesOf(pieces: readonly string[]): AsyncGenerator<Segment> {
  yield* pieces.map(fixed)
}

test('any beginning in front of any shared rest unpacks to both', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200 })
  await fc.assert(
    fc.asyncProperty(fc.array(text), text, text, async (pieces, closing, head) => {
      const tail = await prepareTail(piecesOf(pieces), closing)
      const expected = head + pieces.join('') + closing
      const bytes = Buffer.from(head)
      assert.equal(Buffer.concat(tail.plain(bytes)).toString(), expected)
      assert.equal(gunzipSync(Buffer.concat(tail.gzip(bytes))).toString(), expected)
    }),
  )
})

test('the tag is of the data: neither the beginning nor the pieces matter', async () => {
  const [one, same, other] = await Promise.all([
    prepareTail(piecesOf(['ab', 'c']), '}'),
    prepareTail(piecesOf(['a', 'bc']), '}'),
    prepareTail(piecesOf(['abd']), '}'),
  ])
  assert.equal(one.etag, same.etag)
  assert.notEqual(one.etag, other.etag)
})

test('only segments with a changed entry are written again, and the whole is as if all were', async () => {
  const entries = Array.from({ length: 1000 }, (_, i) => ({ version: i, text: `${i}` }))
  let written = 0
  const prepare = (before?: SharedTail) =>
    prepareTail(
      segmentsOf(entries, {
        versionOf: ({ version }) => version,
        textOf: ({ text }) => {
          written++
          return text
        },
      }),
      ']',
      before?.packed,
    )
  const first = await prepare()
  assert.equal(written, 1000)
  entries[250] = { version: 1000, text: 'moved' }
  written = 0
  const second = await prepare(first)
  assert.equal(written, 100)
  const expected = `${entries.map(({ text }) => text).join(',')}]`
  const head = Buffer.from('[')
  assert.equal(Buffer.concat(second.plain(head)).toString(), `[${expected}`)
  assert.equal(gunzipSync(Buffer.concat(second.gzip(head))).toString(), `[${expected}`)
  const anew = await prepare()
  assert.equal(second.etag, anew.etag)
  assert.notEqual(second.etag, first.etag)
})

test('a beginning that no stored block can hold is refused', async () => {
  const tail = await prepareTail(piecesOf(['x']), '}')
  assert.equal(gunzipSync(Buffer.concat(tail.gzip(Buffer.alloc(65_535, 'a')))).length, 65_537)
  assert.throws(() => tail.gzip(Buffer.alloc(65_536)), RangeError)
})

const encodings: [string | undefined, boolean][] = [
  [undefined, false],
  ['', false],
  ['gzip', true],
  ['br, GZIP', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000, *', false],
  ['*', true],
  ['*;q=0', false],
  ['identity', false],
  ['br;q=1, gzip;q=0.2', true],
]
for (const [header, expected] of encodings) {
  test(`accept-encoding "${header}" ${expected ? 'takes' : 'does not take'} gzip`, () => {
    assert.equal(acceptsGzip(header), expected)
  })
}
