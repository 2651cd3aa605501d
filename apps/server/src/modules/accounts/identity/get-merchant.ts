import type { Queryable } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { Merchant } from './account.ts'
import { findMerchant } from './store.ts'

/** A merchant that is known to exist: its key has been seen. */
export const getMerchant = async (db: Queryable, id: string): Promise<Merchant> =>
  assertDefined(await findMerchant(db, id), `merchant ${id}`)
