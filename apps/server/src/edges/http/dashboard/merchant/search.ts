// One box for every id that a person may have in hand, within the session's account and its users.
import { dashboardRoutes } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import { find } from '#operations'
import { hitView } from '#wire/dashboard/search'
import { type DashboardOperations, operation } from '../operation.ts'

export const createSearchOperation = ({
  db,
}: {
  readonly db: Db
}): DashboardOperations['searchIds'] =>
  operation(dashboardRoutes.searchIds, async ({ query, caller }) => ({
    hits: (await find(db, { text: query.q, tenantId: caller.account.id })).map(hitView),
  }))
