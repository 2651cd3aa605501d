// What a sub-user may be called by its merchant.
import type { Queryable } from '#infra/database/db'
import { isUuid } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { headerText } from '#kernel/text'
import { isOwnId } from './store.ts'

/**
 * Refuses VALIDATION_FAILED for what a call could act for another account with; external ids are often chosen
 * by users. The id of another account of the merchant: an id goes before an external id. Text whose bytes in
 * Latin-1 are UTF-8, such as `cafÃ©`: clients send headers in the one or the other, and `café` of the one is
 * the same bytes as this of the other.
 */
export async function refuseAmbiguous(
  db: Queryable,
  { merchantId, externalId, ownId }: ExternalIdChoice,
): Promise<void> {
  if (externalId === null) return
  if (isUtf8InLatin1(externalId)) refuseId('would be read as another id in a header')
  if (!isUuid(externalId)) return
  if (await isOwnId(db, { merchantId, id: externalId, exceptId: ownId })) {
    refuseId('is the id of another account')
  }
}

const refuseId = (message: string): never =>
  refuse('VALIDATION_FAILED', {
    errors: [{ in: 'body', pointer: '/externalId', rule: 'not', message }],
  })

/** A header with these characters would be read as other text. */
const isUtf8InLatin1 = (text: string): boolean =>
  !/[\u0100-\uffff]/.test(text) && headerText(text) !== text

export interface ExternalIdChoice {
  readonly merchantId: string
  readonly externalId: string | null
  /** Of the sub-user that is changed; null for a new one. */
  readonly ownId: string | null
}
