import assert from 'node:assert/strict'
import { it } from 'node:test'
import { byCursor, numbered } from './pages.ts'

const ROWS = [1, 2, 3, 4, 5]

/** Two rows a page, and a note of each page that was read. */
function numberedList(rows = ROWS) {
  const read: number[] = []
  const list = numbered(
    {},
    async ({ page = 1 }) => {
      read.push(page)
      return {
        items: rows.slice(2 * page - 2, 2 * page),
        page,
        totalPages: Math.ceil(rows.length / 2),
      }
    },
    ({ items }) => items,
  )
  return { list, read }
}

const all = async <Row>(rows: AsyncIterable<Row>): Promise<Row[]> => {
  const seen: Row[] = []
  for await (const row of rows) seen.push(row)
  return seen
}

it('awaiting a list is one page and one call', async () => {
  const { list, read } = numberedList()
  assert.deepEqual(await list, { items: [1, 2], page: 1, totalPages: 3 })
  assert.deepEqual(read, [1])
})

it('iterating a list is every row of all pages, each page read once', async () => {
  const { list, read } = numberedList()
  assert.deepEqual(await all(list), ROWS)
  assert.deepEqual(read, [1, 2, 3])
})

it('a page is read only when its rows are wanted', async () => {
  const { list, read } = numberedList()
  for await (const row of list) if (row === 2) break
  assert.deepEqual(read, [1])
})

it('a list without rows has no second page', async () => {
  const { list, read } = numberedList([])
  assert.deepEqual(await all(list), [])
  assert.deepEqual(read, [1])
})

it('pages() gives whole pages', async () => {
  const { list } = numberedList()
  assert.deepEqual(
    (await all(list.pages())).map(({ items }) => items),
    [[1, 2], [3, 4], [5]],
  )
})

it('a cursor is followed until there is none, and the other parts of the query stay', async () => {
  const requestedSlices: unknown[] = []
  const slices = new Map<string | undefined, { items: number[]; nextCursor: string | null }>([
    [undefined, { items: [1, 2], nextCursor: 'b' }],
    ['b', { items: [], nextCursor: 'c' }],
    ['c', { items: [3], nextCursor: null }],
  ])
  const query: { cursor?: string; limit: number } = { limit: 2 }
  const list = byCursor(
    query,
    async (slice) => {
      requestedSlices.push(slice)
      const answer = slices.get(slice.cursor)
      assert.ok(answer)
      return answer
    },
    ({ items }) => items,
  )
  assert.deepEqual(await all(list), [1, 2, 3])
  assert.deepEqual(requestedSlices, [
    { limit: 2 },
    { limit: 2, cursor: 'b' },
    { limit: 2, cursor: 'c' },
  ])
})

it('a failure of a later page ends the iteration with it', async () => {
  const list = byCursor(
    {},
    async ({ cursor }) => {
      if (cursor !== undefined) throw new Error('gone')
      return { items: [1], nextCursor: 'b' }
    },
    ({ items }) => items,
  )
  const seen: number[] = []
  await assert.rejects(async () => {
    for await (const row of list) seen.push(row)
  }, /gone/)
  assert.deepEqual(seen, [1])
})

it('the rows of every list are items, beside the name that the interface has for them', async () => {
  const list = byCursor(
    {},
    async () => ({ trades: [1, 2], nextCursor: null }),
    ({ trades }) => trades,
  )
  assert.deepEqual(await list, { trades: [1, 2], items: [1, 2], nextCursor: null })
})
