// One box for every id that an administrator may have in hand.
import { dashboardRoutes } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import { find } from '#operations'
import { hitView } from '#wire/dashboard/search'
import { type DashboardOperations, operation } from '../operation.ts'

export const createSearchOperation = ({
  db,
}: {
  readonly db: Db
}): Pick<DashboardOperations, 'searchEverywhere'> => ({
  searchEverywhere: operation(dashboardRoutes.searchEverywhere, async ({ query }) => ({
    hits: (await find(db, { text: query.q, tenantId: null })).map(hitView),
  })),
})
