import type { Queryable } from '#infra/database/db'
import { type CursorPage, cursorPageOf, type Page, pageOf } from '#kernel/page'
import type { SubUser } from './account.ts'
import { countSubUsers, readSubUsers, readSubUsersAfter, type SubUserFilter } from './store.ts'

/** A page of a merchant's sub-users, newest first. Deleted ones only when they are asked for. */
export async function listSubUsers(
  db: Queryable,
  merchantId: string,
  { page, limit, ...filter }: SubUserFilter & { readonly page: number; readonly limit: number },
): Promise<Page<SubUser>> {
  const offset = BigInt(page - 1) * BigInt(limit)
  const [total, items] = await Promise.all([
    countSubUsers(db, merchantId, filter),
    readSubUsers(db, merchantId, filter, { limit, offset }),
  ])
  return pageOf(items, { total, page, limit })
}

/** A slice of them after the sub-user `cursor`; nothing is counted. */
export async function sliceSubUsers(
  db: Queryable,
  merchantId: string,
  {
    cursor,
    limit,
    ...filter
  }: SubUserFilter & { readonly cursor: string | null; readonly limit: number },
): Promise<CursorPage<SubUser>> {
  const rows = await readSubUsersAfter(db, merchantId, filter, { cursor, limit: limit + 1 })
  return cursorPageOf(rows, limit, ({ id }) => id)
}
