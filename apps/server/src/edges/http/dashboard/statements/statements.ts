// The statement of a month on the page, as CSV and as PDF. A file leaves an audit row.
import { dashboardRoutes } from '@tradepost/contract'
import { recordAct } from '#audit'
import { readNamesWithin } from '#identity'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import { BusyError } from '#infra/database/tenant-shares'
import { createFairTurns } from '#infra/limits/fair-turns'
import { createBackgroundThread } from '#infra/process/background-thread'
import type { Clock } from '#infra/process/clock'
import { statementView } from '#wire/merchant/statement'
import { PreparedResponse } from '../../shared/operation.ts'
import { createStatements } from '../../shared/statements.ts'
import { type DashboardOperations, operation } from '../operation.ts'
import { userIdOf } from '../user-of-account.ts'
import { statementCsv } from './statement-csv.ts'
import type { House, StatementFile } from './statement-file.ts'

export interface StatementsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly heavyReads: HeavyReads
  readonly house: House
}

/** A file takes some 100 ms of a processor. Accounts take turns: who asks for many waits for itself. */
const PDF_TURNS = { atOnce: 1, waitingPerSource: 4, waiting: 64 }

export function createStatementsOperation({
  db,
  clock,
  heavyReads,
  house,
}: StatementsDeps): Pick<DashboardOperations, 'readStatement'> {
  const read = createStatements({ heavyReads, clock })
  const inTurn = createFairTurns(PDF_TURNS, () => {
    throw new BusyError()
  })
  const statementPdf = createBackgroundThread<StatementFile, Uint8Array>(
    new URL('./statement-pdf-thread.ts', import.meta.url),
  )
  return {
    readStatement: operation(dashboardRoutes.readStatement, async ({ query, caller }) => {
      const { account, actor } = caller
      const { month, subUserId, format } = query
      const ownerId = subUserId === undefined ? account.id : await userIdOf(db, account, subUserId)
      const statement = await read({ tenantId: account.id, ownerId, month })
      if (format === undefined) return statementView(statement)
      const at = clock.now()
      const details = { what: 'statement', month: statement.month, format, subUserId }
      const subject = { type: 'account', id: ownerId }
      await db.transaction((tx) =>
        recordAct(tx, { actor, act: 'account.export', subject, details, at }),
      )
      const ofUser = subUserId === undefined ? '' : `-${ownerId}`
      const fileOf = (type: string, body: string | readonly Buffer[]): PreparedResponse =>
        new PreparedResponse(body, {
          'content-type': type,
          'content-disposition': `attachment; filename="statement-${statement.month}${ofUser}.${format}"`,
          'cache-control': 'no-store',
        })
      if (format === 'csv') return fileOf('text/csv; charset=utf-8', statementCsv(statement))
      const names = await readNamesWithin(db, account.id, [ownerId])
      const name = names.get(ownerId) ?? ownerId
      const pdf = await inTurn(account.id, () =>
        statementPdf({
          ...{ statement, house, account: { id: ownerId, name }, madeAt: at },
          earner: account.kind === 'merchant' ? 'merchant' : 'partner',
        }),
      )
      return fileOf('application/pdf', [Buffer.from(pdf)])
    }),
  }
}
