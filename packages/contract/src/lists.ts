// The two kinds of list: pages by number, and slices by the id of the last row.
import { type TSchema, Type } from 'typebox'
import { DateTime, Uuid } from './primitives.ts'
import { describe, nullable, withDefault } from './schema.ts'

export const DEFAULT_LIMIT = 25
export const MAX_LIMIT = 100

/** A page beyond the end is empty; the bound only keeps its offset inside 64 bits. */
export const MAX_PAGE = 2_147_483_647

export const Limit = Type.Integer({
  minimum: 1,
  maximum: MAX_LIMIT,
  default: DEFAULT_LIMIT,
  description: 'Rows in one answer.',
})

export const PageNumber = Type.Integer({
  minimum: 1,
  maximum: MAX_PAGE,
  default: 1,
  description: 'Counted from 1. A page beyond the end is empty.',
})

export const Cursor = describe(Uuid, 'The previous answer’s nextCursor.')

/** The parameters of a page-based list. Spread them into the query. */
export const pageQuery = { page: PageNumber, limit: Limit }

/** The parameters of a cursor-based list. */
export const cursorQuery = { cursor: Type.Optional(Cursor), limit: Limit }

/** `-1` requests the whole list at once; 0 is refused. */
export const WholeListLimit = withDefault(
  Type.Integer({
    minimum: -1,
    maximum: MAX_LIMIT,
    not: { const: 0 },
    description: '1 to 100 rows, or -1 for the whole list in one answer.',
  }),
  DEFAULT_LIMIT,
)

const pageFields = {
  total: Type.Integer({ description: 'Rows in the whole list.' }),
  page: Type.Integer(),
  limit: Type.Integer(),
  totalPages: Type.Integer(),
}

export const NextCursor = nullable(
  describe(Uuid, 'The `cursor` of the next slice; null on the last one.'),
)

/** `{items, total, page, limit, totalPages}` */
export const pageOf = <Item extends TSchema>(title: string, item: Item) =>
  Type.Object({ items: Type.Array(item), ...pageFields }, { title })

/** `{items, nextCursor}` */
export const cursorListOf = <Item extends TSchema>(title: string, item: Item) =>
  Type.Object({ items: Type.Array(item), nextCursor: NextCursor }, { title })

/** Of an answer that may come from a replica of the database. */
export const asOf = {
  asOf: Type.Optional(
    describe(DateTime, 'It was read from a replica, which has everything up to then.'),
  ),
}

/** `{items, nextCursor, asOf?}` */
export const staleCursorListOf = <Item extends TSchema>(title: string, item: Item) =>
  Type.Object({ items: Type.Array(item), nextCursor: NextCursor, ...asOf }, { title })
