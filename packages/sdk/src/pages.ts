// Lists: a promise of one page, and an iterable of the rows of all pages.

/** A page that knows the next one by its number. */
export interface NumberedPage {
  page: number
  totalPages: number
}

/** A slice that knows the next one by a cursor. */
export interface CursorPage {
  nextCursor: string | null
}

/** A page whose rows are `items`, whatever the interface calls them; the name of the interface stays, too. */
export type ItemsOf<Page, Row> = Page & { items: Row[] }

/**
 * `await list` is the requested page, its rows are `items`. `for await (const row of list)` reads up to the
 * last page, each one only when its rows are needed; `pages()` iterates whole pages.
 *
 * Numbered pages drift while rows are added, so a row can appear twice. Cursors do not drift.
 */
export interface List<Page, Row> extends Promise<ItemsOf<Page, Row>>, AsyncIterable<Row> {
  pages(): AsyncIterable<ItemsOf<Page, Row>>
}

export function numbered<Page extends NumberedPage, Row>(
  query: { readonly page?: number | undefined },
  read: (query: { readonly page?: number | undefined }) => Promise<Page>,
  rowsOf: (page: Page) => Row[],
): List<Page, Row> {
  return listOf(
    read(query),
    (page) =>
      rowsOf(page).length === 0 || page.page >= page.totalPages
        ? null
        : read({ ...query, page: page.page + 1 }),
    rowsOf,
  )
}

export function byCursor<Page extends CursorPage, Row>(
  query: { readonly cursor?: string | undefined },
  read: (query: { readonly cursor?: string | undefined }) => Promise<Page>,
  rowsOf: (page: Page) => Row[],
): List<Page, Row> {
  return listOf(
    read(query),
    ({ nextCursor }) => (nextCursor === null ? null : read({ ...query, cursor: nextCursor })),
    rowsOf,
  )
}

function listOf<Page, Row>(
  read: Promise<Page>,
  after: (page: Page) => Promise<Page> | null,
  rowsOf: (page: Page) => Row[],
): List<Page, Row> {
  type Shown = ItemsOf<Page, Row>
  const shown = (page: Page): Shown => ({ ...page, items: rowsOf(page) })
  const first = read.then(shown)
  async function* pages(): AsyncGenerator<Shown, void, undefined> {
    for (let next: Promise<Shown> | null = first; next !== null; ) {
      const page: Shown = await next
      yield page
      next = after(page)?.then(shown) ?? null
    }
  }
  async function* rows(): AsyncGenerator<Row, void, undefined> {
    for await (const page of pages()) yield* page.items
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: rows })
}
