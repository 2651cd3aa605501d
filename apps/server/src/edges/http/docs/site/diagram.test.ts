import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diagram } from './diagram.ts'

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length

test('a flowchart has a box for each name and a line for each pair', () => {
  const drawn = diagram(
    'flowchart LR\n  a["one<br/>two"] --> b & c\n  b & c -. "asks" .-> d[("store")]\n',
    'x',
  )
  assert.equal(count(drawn, /<rect /g), 4)
  assert.equal(count(drawn, /class="edge"/g), 4)
  assert.equal(count(drawn, /stroke-dasharray/g), 2)
  assert.equal(count(drawn, />asks</g), 1)
  for (const word of ['one', 'two', 'store']) assert.ok(drawn.includes(`>${word}<`), word)
})

test('states that end stand in the last column, and the usual way in the first row', () => {
  const drawn = diagram('stateDiagram-v2\n  [*] --> a\n  a --> b\n  a --> c\n  b --> d\n', 'x')
  const placeOf = (name: string): [x: number, y: number] => {
    const [, x = '', y = ''] =
      new RegExp(`<text x="([\\d.]+)" y="([\\d.]+)"[^>]*>${name}<`).exec(drawn) ?? []
    return [Number(x), Number(y)]
  }
  assert.equal(placeOf('c')[0], placeOf('d')[0])
  assert.equal(placeOf('a')[1], placeOf('d')[1])
  assert.ok(placeOf('c')[1] > placeOf('d')[1])
})

test('words of a diagram are words, never markup', () => {
  const drawn = diagram('flowchart LR\n  a["<img src=x>"] --> b\n', 'x')
  assert.ok(!drawn.includes('<img') && drawn.includes('&lt;img'))
})

test('what cannot be drawn is refused, so that nothing is left out in silence', () => {
  assert.throws(() => diagram('sequenceDiagram\n  A->>B: hi\n', 'x'), /no diagram of this kind/)
  assert.throws(() => diagram('flowchart LR\n  a{"choice"} --> b\n', 'x'), /no box can be read/)
})
