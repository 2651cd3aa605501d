// Exports as CSV: of any length, two at a time of an account, streamed. A POST checks what is asked for. The
// file is a GET within the same ten minutes, so that the browser saves it as it comes; that leaves an audit
// row.
import {
  dashboardRoutes,
  EXPORT_STATUSES,
  EXPORT_TYPES,
  type ExportName,
  type ExportQuery,
} from '@tradepost/contract'
import { EXPORT_AUDIT, recordAct } from '#audit'
import { EXPORT_DEPOSITS } from '#deposits'
import type { Clock } from '#infra/clock'
import type { CopyOut } from '#infra/copy-out'
import type { Db, Statement } from '#infra/db'
import { refuse } from '#kernel/refusal'
import { ledgerExport } from '#ledger'
import { EXPORT_WITHDRAWALS } from '#payouts'
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
    const { what, ...filters } = body
    await selectionOf(db, { what, ownerId: caller.account.id, filters, in: 'body' })
    return { prepared: true as const }
  }),

  downloadExport: operation(dashboardRoutes.downloadExport, async ({ params, query, caller }) => {
    const { what } = params
    const { id } = caller.account
    const asked = { what, ownerId: id, filters: query, in: 'query' } as const
    const { statement, values } = await selectionOf(db, asked)
    const at = clock.now()
    const subject = { type: 'account', id }
    const facts = { what, ...query }
    await db.transaction((tx) =>
      recordAct(tx, { actor: caller.actor, act: 'account.export', subject, facts, at }),
    )
    const day = at.toISOString().slice(0, 10)
    return new StreamedResponse(await copyOut.open(id, statement, values), {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${what}-${day}.csv"`,
      'cache-control': 'no-store',
    })
  }),
})

interface Asked {
  readonly what: ExportName
  readonly ownerId: string
  readonly filters: ExportQuery
  readonly in: 'body' | 'query'
}

interface Selection {
  readonly statement: Statement
  readonly values: readonly (string | bigint | Date | null)[]
}

/** The rows to copy. A state or type that they cannot have is VALIDATION_FAILED. */
async function selectionOf(
  db: Db,
  { what, ownerId, filters, in: place }: Asked,
): Promise<Selection> {
  const from = filters.from === undefined ? null : new Date(filters.from)
  const to = filters.to === undefined ? null : new Date(filters.to)
  const among = <T extends string>(name: 'status' | 'type', known: readonly T[]): T | null => {
    const value = filters[name]
    if (value === undefined) return null
    return known.find((one) => one === value) ?? refuseFilter(place, name)
  }
  switch (what) {
    case 'trades': {
      const status = among('status', EXPORT_STATUSES.trades)
      const type = among('type', EXPORT_TYPES.trades)
      return { statement: EXPORT_TRADES, values: [ownerId, status, type, from, to] }
    }
    case 'deposits': {
      const { method = null } = filters
      const status = among('status', EXPORT_STATUSES.deposits)
      return { statement: EXPORT_DEPOSITS, values: [ownerId, status, method, from, to] }
    }
    case 'withdrawals': {
      const status = among('status', EXPORT_STATUSES.withdrawals)
      return { statement: EXPORT_WITHDRAWALS, values: [ownerId, status, from, to] }
    }
    case 'ledger': {
      const status = among('status', EXPORT_STATUSES.ledger)
      const type = among('type', EXPORT_TYPES.ledger)
      const wallet = { ownerId, kind: filters.walletType ?? 'spot' } as const
      return (await ledgerExport(db, wallet, { type, status, from, to })) ?? refuse('NOT_FOUND')
    }
    case 'audit':
      return { statement: EXPORT_AUDIT, values: [ownerId, from, to] }
  }
}

const refuseFilter = (place: 'body' | 'query', name: string): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      {
        ...{ in: place, pointer: `/${name}`, rule: 'enum' },
        message: 'is none that the rows of this export have',
      },
    ],
  })
