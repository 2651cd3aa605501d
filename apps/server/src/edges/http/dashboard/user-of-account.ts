import { findChildren, getSubUser } from '#identity'
import type { Db } from '#infra/database/db'
import { isUuid } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import type { DashboardAccount } from './operation.ts'

/**
 * The id of an account, or of one of its users: a sub-user by id or external id, a child by id. Any other is
 * USER_NOT_FOUND.
 */
export async function userIdOf(
  db: Db,
  { id, kind }: DashboardAccount,
  reference: string,
): Promise<string> {
  if (reference === id) return id
  if (kind === 'merchant') return (await getSubUser(db, id, reference)).id
  const [child] = isUuid(reference) ? await findChildren(db, id, [reference]) : []
  return child?.id ?? refuse('USER_NOT_FOUND')
}
