// The statement of a month. It reads all that moved in the month, so it is one of the tenant's heavy reads.
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { Clock } from '#infra/process/clock'
import { type MonthlyStatement, readMonthlyStatement } from '#ledger'

export type ReadStatement = (asked: {
  readonly tenantId: string
  readonly ownerId: string
  readonly month: string | undefined
}) => Promise<MonthlyStatement>

export const createStatements =
  ({
    heavyReads,
    clock,
  }: {
    readonly heavyReads: HeavyReads
    readonly clock: Clock
  }): ReadStatement =>
  ({ tenantId, ownerId, month = null }) =>
    heavyReads.run(tenantId, (db, staleReads) =>
      readMonthlyStatement(db, { ownerId, month, at: clock.now() }, staleReads),
    )
