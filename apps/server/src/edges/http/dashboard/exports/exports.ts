// Exports as CSV: of any length, one at a time of an account, streamed. A POST checks what is asked for. The
// file is a GET within the same ten minutes, so that the browser saves it as it comes; that leaves an audit
// row.
import type { Readable } from 'node:stream'
import {
  dashboardRoutes,
  EXPORT_STATUSES,
  EXPORT_TYPES,
  type ExportName,
  type ExportQuery,
} from '@tradepost/contract'
import { EXPORT_AUDIT, EXPORT_AUDIT_LOG, recordAct } from '#audit'
import { EXPORT_DEPOSITS } from '#deposits'
import type { CopyOut, RowsToCopy, Values } from '#infra/database/copy-out'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { refuse } from '#kernel/refusal'
import { EXPORT_TRANSFERS, exportLedger, ledgerExport } from '#ledger'
import { EXPORT_WITHDRAWALS } from '#payouts'
import { EXPORT_TRADES, tradeIdOf } from '#trades'
import { tradeStatusesOf } from '#wire/partner/order'
import { StreamedResponse } from '../../shared/operation.ts'
import { actorIdOf } from '../administration/actor-id.ts'
import { type DashboardAccount, type DashboardOperations, operation } from '../operation.ts'
import { userIdOf } from '../user-of-account.ts'

export interface ExportDeps {
  readonly db: Db
  readonly clock: Clock
  readonly copyOut: CopyOut
}

export const createExportOperations = ({
  db,
  clock,
  copyOut,
}: ExportDeps): Pick<
  DashboardOperations,
  'prepareExport' | 'downloadExport' | 'prepareAuditLogExport' | 'downloadAuditLogExport'
> => ({
  prepareExport: operation(dashboardRoutes.prepareExport, async ({ body, caller }) => {
    const { what, ...filters } = body
    await selectionOf(db, { what, account: caller.account, filters, in: 'body' })
    return { prepared: true as const }
  }),

  downloadExport: operation(dashboardRoutes.downloadExport, async ({ params, query, caller }) => {
    const { what } = params
    const { id } = caller.account
    const asked = { what, account: caller.account, filters: query, in: 'query' } as const
    const rows = await selectionOf(db, asked)
    const at = clock.now()
    const subject = { type: 'account', id }
    const details = { what, ...query }
    await db.transaction((tx) =>
      recordAct(tx, { actor: caller.actor, act: 'account.export', subject, details, at }),
    )
    return fileOf(what, copyOut.open(id, rows), at)
  }),

  prepareAuditLogExport: operation(dashboardRoutes.prepareAuditLogExport, async () => ({
    prepared: true as const,
  })),

  downloadAuditLogExport: operation(
    dashboardRoutes.downloadAuditLogExport,
    async ({ query, caller }) => {
      const { accountId = null, act = null, actor, subjectId = null, from, to } = query
      const { id } = caller.account
      const at = clock.now()
      const actorId = actor === undefined ? null : await actorIdOf(db, actor)
      const subject = { type: 'audit_log', id: null }
      await db.transaction((tx) =>
        recordAct(tx, { actor: caller.actor, act: 'audit.export', subject, details: query, at }),
      )
      const values = [accountId, dateOf(from), dateOf(to), act, actorId, subjectId]
      return fileOf('audit-log', copyOut.open(id, { statement: EXPORT_AUDIT_LOG, values }), at)
    },
  ),
})

/** Saved by the browser as it comes. */
const fileOf = (name: string, rows: Readable, at: Date): StreamedResponse =>
  new StreamedResponse(rows, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}-${at.toISOString().slice(0, 10)}.csv"`,
    'cache-control': 'no-store',
  })

const EXPORT_LEDGER = exportLedger(tradeIdOf)

interface Asked {
  readonly what: ExportName
  readonly account: DashboardAccount
  readonly filters: ExportQuery
  readonly in: 'body' | 'query'
}

const dateOf = (text: string | undefined): Date | null =>
  text === undefined ? null : new Date(text)

/**
 * The rows to copy. A state or type that they cannot have is VALIDATION_FAILED, a user of another account
 * USER_NOT_FOUND.
 */
async function selectionOf(
  db: Db,
  { what, account, filters, in: place }: Asked,
): Promise<RowsToCopy> {
  const { id: ownerId } = account
  const [from, to] = [dateOf(filters.from), dateOf(filters.to)]
  const severalAmong = (known: readonly string[]): readonly string[] | null => {
    const values = filters.status?.split(',') ?? null
    const areKnown = values === null || values.every((value) => known.includes(value))
    return areKnown ? values : refuseFilter(place, 'status')
  }
  const among = <T extends string>(name: 'status' | 'type', known: readonly T[]): T | null => {
    const value = filters[name]
    if (value === undefined) return null
    return known.find((one) => one === value) ?? refuseFilter(place, name)
  }
  const { userId: reference, externalId = null } = filters
  const userId = reference === undefined ? null : await userIdOf(db, account, reference)
  switch (what) {
    case 'trades': {
      const statuses = severalAmong(EXPORT_STATUSES.trades)
      const type = among('type', EXPORT_TYPES.trades)
      return { statement: EXPORT_TRADES, values: tradeValues({ statuses, type }) }
    }
    case 'orders': {
      const status = among('status', EXPORT_STATUSES.orders)
      const statuses = status === null ? null : tradeStatusesOf(status)
      return { statement: EXPORT_TRADES, values: tradeValues({ statuses, type: null }) }
    }
    case 'deposits': {
      const { method = null } = filters
      const status = among('status', EXPORT_STATUSES.deposits)
      const values = [ownerId, status, method, from, to, userId]
      return { statement: EXPORT_DEPOSITS, values }
    }
    case 'withdrawals': {
      const status = among('status', EXPORT_STATUSES.withdrawals)
      const values = [ownerId, status, from, to, externalId, userId]
      return { statement: EXPORT_WITHDRAWALS, values }
    }
    case 'ledger': {
      const status = among('status', EXPORT_STATUSES.ledger)
      const type = among('type', EXPORT_TYPES.ledger)
      const kind = filters.walletType ?? 'spot'
      const filter = { type, status, from, to }
      const asked = { ownerId: userId ?? ownerId, kind, scopeId: ownerId, filter }
      return (await ledgerExport(db, EXPORT_LEDGER, asked)) ?? refuse('NOT_FOUND')
    }
    case 'transfers': {
      const walletOwnerId = userId ?? ownerId
      const type = userId === null ? 'fund_out' : 'fund_in'
      const filter = { type, status: null, from, to } as const
      const asked = {
        ownerId: walletOwnerId,
        kind: 'spot',
        scopeId: walletOwnerId,
        filter,
      } as const
      return (await ledgerExport(db, EXPORT_TRANSFERS, asked)) ?? refuse('NOT_FOUND')
    }
    case 'audit': {
      const { act = null, actorId = null, subjectId = null } = filters
      const values = [ownerId, from, to, act, actorId, subjectId]
      return { statement: EXPORT_AUDIT, values }
    }
  }

  function tradeValues({
    statuses,
    type,
  }: {
    readonly statuses: readonly string[] | null
    readonly type: string | null
  }): Values {
    const { itemName, offerId = null, tradeId = null, hideResolved } = filters
    const isHidden = statuses === null && hideResolved === 'true'
    return [
      ...[ownerId, statuses && `{${statuses.join(',')}}`, type, from, to, userId],
      ...[isHidden ? 'true' : null, itemName === undefined ? null : patternOf(itemName)],
      ...[externalId, offerId, tradeId],
    ]
  }
}

/** Any part of a name. */
const patternOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

const refuseFilter = (place: 'body' | 'query', name: string): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      {
        ...{ in: place, pointer: `/${name}`, rule: 'enum' },
        message: 'is none that the rows of this export have',
      },
    ],
  })
