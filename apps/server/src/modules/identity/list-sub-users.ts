import type { Queryable } from '#infra/db'
import { type Page, pageOf } from '#kernel/page'
import type { SubUser } from './account.ts'
import { countSubUsers, readSubUsers, type SubUserFilter } from './store.ts'

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
