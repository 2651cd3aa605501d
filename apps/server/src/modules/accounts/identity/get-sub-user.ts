import type { Queryable } from '#infra/database/db'
import { isUuid } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import type { SubUser } from './account.ts'
import { findSubUser } from './store.ts'

/**
 * The merchant's sub-user by its id or external id; an id goes before an equal external id. Refuses
 * USER_NOT_FOUND for deleted ones and for those of other merchants too.
 */
export async function getSubUser(
  db: Queryable,
  merchantId: string,
  reference: string,
): Promise<SubUser> {
  const id = isUuid(reference) ? reference : null
  return (
    (await findSubUser(db, merchantId, { id, externalId: reference })) ?? refuse('USER_NOT_FOUND')
  )
}
