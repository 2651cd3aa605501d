import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCsvRows } from './csv.ts'
import { BrokenList, readJsonElements } from './json-elements.ts'

async function* inChunks(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const quoted = (cell: string): string =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

test('a CSV file reads the same however it is cut into pieces', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'é', ',', '"', '\n', ' ', '|'),
    maxLength: 6,
  })
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (table, size) => {
      const text = table.map((row) => `${row.map(quoted).join(',')}\n`).join('')
      assert.deepEqual(await collect(readCsvRows(inChunks(text, size))), table)
    }),
    { numRuns: 200 },
  )
})

test('a last row without its line break counts, and Windows breaks are breaks', async () => {
  assert.deepEqual(await collect(readCsvRows(inChunks('a,b\r\nc,d', 3))), [
    ['a', 'b'],
    ['c', 'd'],
  ])
})

test('a file whose row never ends is given up', async () => {
  await assert.rejects(collect(readCsvRows(inChunks('x'.repeat(10_000), 100), 1_000)), /no end/)
})

test('a JSON list reads the same however it is cut, bare or inside an object', async () => {
  const elements = fc.array(
    fc.oneof(
      fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 5 })),
      fc.array(fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.constant(null))),
    ),
    { maxLength: 6 },
  )
  await fc.assert(
    fc.asyncProperty(
      elements,
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      async (list, size, bare) => {
        const text = bare
          ? JSON.stringify(list)
          : JSON.stringify({ game: 'cs2', items: list, more: 1 })
        const read = await collect(readJsonElements(inChunks(text, size)))
        assert.deepEqual(read, JSON.parse(JSON.stringify(list)))
      },
    ),
    { numRuns: 200 },
  )
})

test('brackets and quotes inside texts are text', async () => {
  const list = [{ a: '}]"\\' }, ['[', '{', '\\"']]
  assert.deepEqual(await collect(readJsonElements(inChunks(JSON.stringify(list), 1))), list)
})

test('a list that breaks off is no list', async () => {
  for (const text of ['[[1],[2', '[[1],[2]', '{"items":[{"a":1}', '<html></html>', '']) {
    await assert.rejects(collect(readJsonElements(inChunks(text, 2))), BrokenList, text)
  }
})

test('an element that is no JSON or has no end breaks the list', async () => {
  await assert.rejects(collect(readJsonElements(inChunks('[{a:1}]', 9))), BrokenList)
  await assert.rejects(
    collect(readJsonElements(inChunks(`[["${'x'.repeat(500)}`, 50), 100)),
    BrokenList,
  )
})
