// GET /merchant/statements
import { merchantRoutes } from '@tradepost/contract'
import { getSubUser } from '#identity'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { Clock } from '#infra/process/clock'
import { statementView } from '#wire/merchant/statement'
import { createStatements } from '../../shared/statements.ts'
import { type MerchantOperations, operation } from '../operation.ts'

export interface StatementDeps {
  readonly db: Db
  readonly heavyReads: HeavyReads
  readonly clock: Clock
}

export function createStatementOperation(deps: StatementDeps): MerchantOperations['getStatement'] {
  const read = createStatements(deps)
  return operation(merchantRoutes.getStatement, async ({ caller: { tenant }, query }) => {
    const { month, subUserId } = query
    const ownerId =
      subUserId === undefined ? tenant.id : (await getSubUser(deps.db, tenant.id, subUserId)).id
    return statementView(await read({ tenantId: tenant.id, ownerId, month }))
  })
}
