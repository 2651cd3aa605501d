// GET /merchant/key: what the calling key may do.
import { merchantRoutes } from '@tradepost/contract'
import { getKey, readSpent } from '#identity'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { ZERO_CENTS } from '#kernel/money'
import { merchantKeyView } from '#wire/merchant/key'
import { type MerchantOperations, operation } from '../operation.ts'

export const createKeyOperation = ({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): MerchantOperations['getKey'] =>
  operation(merchantRoutes.getKey, async ({ caller: { keyId } }) => {
    const [key, spent] = await Promise.all([getKey(db, keyId), readSpent(db, [keyId], clock.now())])
    return merchantKeyView(key, spent.get(keyId) ?? ZERO_CENTS)
  })
