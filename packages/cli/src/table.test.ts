import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { NAME, tableText } from './table.ts'
import { clean, fit, jsonText, widthOf } from './text.ts'

const same = (text: string): string => text

it('a text is never wider than its column, and unchanged when it fits', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 1, max: 60 }),
      (text, columns) => {
        assert.ok(widthOf(fit(text, columns)) <= columns)
        if (widthOf(text) <= columns) assert.equal(fit(text, columns), text)
      },
    ),
  )
})

it('wide characters count twice, marks not at all', () => {
  assert.deepEqual(['★ a', '龍王', 'é', 'e\u0301', '™'].map(widthOf), [3, 4, 1, 1, 1])
})

it('a table fits the terminal by truncating what may be truncated, never an id', () => {
  const id = '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d'
  const rows = [{ id, name: 'AK-47 | Case Hardened (Well-Worn) '.repeat(3) }]
  const columns = [
    { title: 'ID', cell: (row: { id: string }) => row.id },
    { title: 'NAME', cell: (row: { name: string }) => row.name, shrinks: true },
  ]
  const text = tableText(rows, columns, { columns: 70, header: same })
  for (const line of text.split('\n')) assert.ok(widthOf(line) <= 70, line)
  assert.match(text, new RegExp(`^${id}  AK-47 .*…$`, 'm'))
  const narrow = tableText(rows, columns, { columns: 10, header: same })
  assert.match(narrow, new RegExp(id))
  const uncut = tableText(rows, columns, { columns: Number.POSITIVE_INFINITY, header: same })
  assert.doesNotMatch(uncut, /…/)
})

it('a table that cannot fit loses its optional columns, one after the other', () => {
  const row = { id: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d', name: 'x'.repeat(40) }
  const columns = [
    { title: 'ID', cell: ({ id }: typeof row) => id },
    { title: 'OTHER', cell: ({ id }: typeof row) => id, drops: 2 },
    { title: 'NAME', cell: ({ name }: typeof row) => name, shrinks: true, drops: 1 },
  ]
  const titlesAt = (width: number): string[] =>
    (tableText([row], columns, { columns: width, header: same }).split('\n')[0] ?? '').split(/ +/)
  assert.deepEqual(titlesAt(120), ['ID', 'OTHER', 'NAME'])
  assert.deepEqual(titlesAt(83), ['ID', 'OTHER'])
  assert.deepEqual(titlesAt(60), ['ID'])
  assert.deepEqual(titlesAt(10), ['ID'])
})

it('a terminal that is too narrow for a table shows each row as lines, and no line is wider but an id', () => {
  const rows = ['AK-47 | Redline (Field-Tested)', 'Glock-18 | Water Elemental'].map((name, i) => ({
    ...{ id: `019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4${i}`, name, price: '12.50 USD' },
  }))
  const columns = [
    { title: 'ID', cell: ({ id }: (typeof rows)[0]) => id },
    { title: 'PRICE', cell: ({ price }: (typeof rows)[0]) => price },
    { title: 'NAME', cell: ({ name }: (typeof rows)[0]) => name, ...NAME },
  ]
  const at = (width: number): string[] =>
    tableText(rows, columns, { columns: width, header: same }).split('\n')
  const [first] = rows
  assert.deepEqual(at(40).slice(0, 5), [
    ...['ID', first?.id, 'PRICE  12.50 USD', 'NAME   AK-47 | Redline (Field-Tested)', ''],
  ])
  for (const width of [20, 30, 40, 50]) {
    for (const line of at(width)) assert.ok(widthOf(line) <= width || line.length === 36, line)
  }
})

it('a narrow terminal shows names, not hashes, and says what it leaves out', () => {
  const row = { id: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d', name: 'AK-47 | Redline (Field-Tested)' }
  const columns = [
    { title: 'ID', cell: ({ id }: typeof row) => id, drops: 1 },
    { title: 'NAME', cell: ({ name }: typeof row) => name, ...NAME },
  ]
  const at = (width: number): string =>
    tableText([row], columns, { columns: width, header: same }).replaceAll(/ +$/gm, '')
  assert.match(at(54), new RegExp(`^${row.id}  AK-47 \\| Redline…$`, 'm'))
  assert.equal(at(40), `NAME\n${row.name}\n--json has more: ID`)
  assert.equal(at(12).split('\n')[1], 'AK-47 | Red…')
})

it('a name cannot control the terminal', () => {
  const evil = 'a\u001b[2Jb\rc\u009b31m\nd\u0007'
  assert.doesNotMatch(clean(evil), /\p{Cc}/u)
  const columns = [{ title: 'NAME', cell: (row: string) => row }]
  const text = tableText([evil], columns, { columns: 80, header: same })
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u)
  assert.equal(text.split('\n').length, 2)
  assert.doesNotMatch(jsonText({ evil }), /\p{Cc}/u)
  assert.deepEqual(JSON.parse(jsonText({ evil }, 2)), { evil })
})
