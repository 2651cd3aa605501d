// Saved views of a person, for the account of the session.
import { dashboardRoutes, type SavedView as SavedViewShape } from '@tradepost/contract'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import {
  deleteView,
  listViews,
  renameView,
  type SavedView,
  saveView,
  type ViewHolder,
} from '#people'
import { type DashboardOperations, type LoggedIn, operation } from '../operation.ts'

type ViewOperations = Pick<
  DashboardOperations,
  'listViews' | 'saveView' | 'renameView' | 'deleteView'
>

export function createViewOperations(deps: {
  readonly db: Db
  readonly clock: Clock
}): ViewOperations {
  const { db } = deps
  return {
    listViews: operation(dashboardRoutes.listViews, async ({ query, caller }) =>
      (await listViews(db, holderOf(caller), query.list)).map(shown),
    ),
    saveView: operation(dashboardRoutes.saveView, async ({ body, caller }) =>
      shown(await saveView(deps, holderOf(caller), body)),
    ),
    renameView: operation(dashboardRoutes.renameView, async ({ params, body, caller }) =>
      shown(await renameView(db, holderOf(caller), { ...params, ...body })),
    ),
    deleteView: operation(dashboardRoutes.deleteView, async ({ params, caller }) =>
      shown(await deleteView(db, holderOf(caller), params.id)),
    ),
  }
}

const holderOf = ({ session: { person, membership } }: LoggedIn): ViewHolder => ({
  personId: person.id,
  accountId: membership.accountId,
})

/** Its list is one of the contract's: no other one can be saved. */
const shown = (view: SavedView): SavedViewShape => view as SavedViewShape
