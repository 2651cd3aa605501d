// Exports as CSV: of any length, two at a time, streamed. A POST asks for one and leaves an audit row. The
// file is a GET within the same ten minutes, so that the browser saves it as it comes.
import { dashboardRoutes } from '@tradepost/contract'
import { EXPORT_AUDIT, recordAct } from '#audit'
import type { Clock } from '#infra/clock'
import type { CopyOut } from '#infra/copy-out'
import type { Db } from '#infra/db'
import { refuse } from '#kernel/refusal'
import { ledgerExport } from '#ledger'
import { EXPORT_TRADES } from '#trades'
import { StreamedResponse } from '../../shared/operation.ts'
import { type DashboardOperations, operation } from '../operation.ts'

export interface ExportDeps {
  readonly db: Db
  readonly clock: Clock
  readonly copyOut: Pick<CopyOut, 'open'>
}

export const createExportOperations = ({
  db,
  clock,
  copyOut,
}: ExportDeps): Pick<DashboardOperations, 'prepareExport' | 'downloadExport'> => ({
  prepareExport: operation(dashboardRoutes.prepareExport, async ({ body, caller }) => {
    const { what, ...facts } = body
    await db.transaction((tx) =>
      recordAct(tx, {
        actor: caller.actor,
        act: 'account.export',
        subject: { type: 'account', id: caller.account.id },
        facts: { what, ...facts },
        at: clock.now(),
      }),
    )
    return { prepared: true as const }
  }),

  downloadExport: operation(dashboardRoutes.downloadExport, async ({ params, query, caller }) => {
    const { id } = caller.account
    const from = query.from === undefined ? null : new Date(query.from)
    const to = query.to === undefined ? null : new Date(query.to)
    const open = async () => {
      switch (params.what) {
        case 'trades':
          return copyOut.open(EXPORT_TRADES, [
            id,
            query.status ?? null,
            query.type ?? null,
            from,
            to,
          ])
        case 'audit':
          return copyOut.open(EXPORT_AUDIT, [id, from, to])
        case 'ledger': {
          const wallet = { ownerId: id, kind: query.walletType ?? 'spot' } as const
          const found = await ledgerExport(db, wallet, { from, to })
          return found === null ? refuse('NOT_FOUND') : copyOut.open(found.statement, found.values)
        }
      }
    }
    const day = clock.now().toISOString().slice(0, 10)
    return new StreamedResponse(await open(), {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${params.what}-${day}.csv"`,
      'cache-control': 'no-store',
    })
  }),
})
