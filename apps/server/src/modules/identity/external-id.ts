// What a sub-user may be called by its merchant.
import type { Queryable } from '#infra/db'
import { isUuid } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { isOwnId } from './store.ts'

/**
 * Refuses VALIDATION_FAILED for the id of another account of the merchant. An id goes before an external id,
 * so a call for the one would act for the other, and external ids are often chosen by users.
 */
export async function refuseIdsOfOthers(
  db: Queryable,
  { merchantId, externalId, ownId }: ExternalIdChoice,
): Promise<void> {
  if (externalId === null || !isUuid(externalId)) return
  if (!(await isOwnId(db, { merchantId, id: externalId, exceptId: ownId }))) return
  refuse('VALIDATION_FAILED', {
    errors: [
      { in: 'body', pointer: '/externalId', rule: 'not', message: 'is the id of another account' },
    ],
  })
}

export interface ExternalIdChoice {
  readonly merchantId: string
  readonly externalId: string | null
  /** Of the sub-user that is changed; null for a new one. */
  readonly ownId: string | null
}
