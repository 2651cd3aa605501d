// GET /merchant/restores
import { merchantRoutes } from '@tradepost/contract'
import { listRestores } from '#buying'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { restoreView } from '#wire/merchant/restore'
import { type MerchantOperations, operation } from '../operation.ts'

export const createRestoresOperation = ({
  heavyReads,
}: {
  readonly heavyReads: HeavyReads
}): MerchantOperations['listRestores'] =>
  operation(merchantRoutes.listRestores, async ({ caller, query: { cursor = null, limit } }) => {
    const tenantId = caller.tenant.id
    const page = await heavyReads.run(tenantId, (db) =>
      listRestores(db, { tenantId, cursor, limit }),
    )
    return { items: page.items.map(restoreView), nextCursor: page.nextCursor }
  })
