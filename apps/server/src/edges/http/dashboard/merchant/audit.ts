// What was done to an account, and by whom.
import { dashboardRoutes } from '@tradepost/contract'
import { listAudit } from '#audit'
import type { Db } from '#infra/database/db'
import { auditItemView } from '#wire/dashboard/merchant'
import { readAuditNames } from '../audit-names.ts'
import { type DashboardOperations, operation } from '../operation.ts'

export const createAuditOperation = ({
  db,
}: {
  readonly db: Db
}): DashboardOperations['listAudit'] =>
  operation(dashboardRoutes.listAudit, async ({ query, caller }) => {
    const { cursor, limit, from, to, ...filter } = query
    const entries = await listAudit(db, {
      ...filter,
      accountId: caller.account.id,
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
      before: cursor === undefined ? undefined : BigInt(cursor),
      limit: limit + 1,
    })
    const shown = entries.slice(0, limit)
    const names = await readAuditNames(db, shown)
    const last = shown.at(-1)
    return {
      items: shown.map((entry) => auditItemView(entry, names)),
      nextCursor: entries.length > limit && last !== undefined ? String(last.id) : null,
    }
  })
