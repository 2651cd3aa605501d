// What a merchant may change of a sub-user: its particulars and whether it may act.

import { type Tx, violatedConstraint } from '#infra/database/db'
import { refuse } from '#kernel/refusal'
import type { SubUser, SubUserChange } from './account.ts'
import { refuseAmbiguous } from './external-id.ts'
import { setStatus, updateSubUser } from './store.ts'

/**
 * Refuses EXTERNAL_ID_TAKEN when another sub-user has the external id, or had it when it was deleted, and
 * VALIDATION_FAILED when it is the id of another account.
 */
export async function changeSubUser(tx: Tx, id: string, change: SubUserChange): Promise<SubUser> {
  try {
    const changed = (await updateSubUser(tx, id, change)) ?? refuse('USER_NOT_FOUND')
    const { merchantId } = changed
    await refuseAmbiguous(tx, { merchantId, externalId: change.externalId, ownId: id })
    return changed
  } catch (error) {
    if (violatedConstraint(error) === 'account_external_id_once') refuse('EXTERNAL_ID_TAKEN')
    throw error
  }
}

/** Log-in, buys, sells and deposits are refused from the next request on; what is under way goes on. */
export const suspendSubUser = async (tx: Tx, id: string, at: Date): Promise<SubUser> =>
  (await setStatus(tx, id, 'suspended', at)) ?? refuse('USER_NOT_FOUND')

export const reactivateSubUser = async (tx: Tx, id: string, at: Date): Promise<SubUser> =>
  (await setStatus(tx, id, 'active', at)) ?? refuse('USER_NOT_FOUND')
