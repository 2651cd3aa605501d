// Trades of all accounts as administrators list them, and one by whatever id of it they have in hand.
import { dashboardRoutes } from '@tradepost/contract'
import { describeAccount, readAccountNames } from '#identity'
import type { Db } from '#infra/database/db'
import type { StaleReads } from '#infra/database/replica'
import { isUuid } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { type ActDeps, find, inspectTrade, listPlacedTrades } from '#operations'
import type { Trade, TradeFilter } from '#trades'
import { adminListedTradeView, tradeInspectionView } from '#wire/dashboard/admin-trade'
import { asOfView } from '#wire/dashboard/as-of'
import { type DashboardOperations, operation } from '../operation.ts'
import { scopeOf } from './account-records.ts'

export const createTradeInspection = ({
  db,
  clock,
  staleReads,
}: ActDeps & { readonly staleReads: StaleReads }): Pick<
  DashboardOperations,
  'listAllTrades' | 'inspectTrade'
> => ({
  listAllTrades: operation(dashboardRoutes.listAllTrades, async ({ query }) => {
    const { accountId, status, type, market = null, from, to, cursor = null, limit } = query
    const filter: TradeFilter = {
      ...(accountId !== undefined && scopeOf(await describeAccount(db, accountId))),
      ...(status !== undefined && { statuses: status.split(',') as Trade['status'][] }),
      ...(type !== undefined && { type }),
      ...(from !== undefined && { from: new Date(from) }),
      ...(to !== undefined && { to: new Date(to) }),
    }
    return staleReads(async (at) => {
      const page = await listPlacedTrades(at, filter, { market, cursor, limit })
      const names = await readAccountNames(
        at,
        page.items.map(({ trade }) => trade.tenantId),
      )
      const items = page.items.map((placed) => adminListedTradeView(placed, names))
      return { items, nextCursor: page.nextCursor, ...asOfView(at) }
    })
  }),

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
