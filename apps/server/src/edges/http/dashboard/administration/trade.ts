// A trade as administrators see it, by whatever id of it they have in hand.
import { dashboardRoutes } from '@tradepost/contract'
import { readAccountNames } from '#identity'
import type { Db } from '#infra/database/db'
import { isUuid } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { type ActDeps, find, inspectTrade } from '#operations'
import { tradeInspectionView } from '#wire/dashboard/admin-trade'
import { type DashboardOperations, operation } from '../operation.ts'

export const createInspectOperation = ({
  db,
  clock,
}: ActDeps): Pick<DashboardOperations, 'inspectTrade'> => ({
  inspectTrade: operation(dashboardRoutes.inspectTrade, async ({ params }) => {
    const id = await tradeIdOf(db, params.id)
    const found = id === null ? null : await db.snapshot((at) => inspectTrade(at, id))
    if (found === null) return refuse('TRADE_NOT_FOUND')
    const { tenantId, accountId } = found.trade
    const names = await readAccountNames(db, [tenantId, accountId])
    return tradeInspectionView(found, { names, now: clock.now() })
  }),
})

/** Null when it leads to no trade, or to several. */
async function tradeIdOf(db: Db, text: string): Promise<string | null> {
  const hits = await find(db, { text, tenantId: null })
  const [only, second] = hits.filter(({ kind }) => kind === 'trade')
  if (only !== undefined && second === undefined) return only.id
  return only === undefined && isUuid(text) ? text : null
}
