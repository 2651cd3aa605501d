import { Type } from 'typebox'
import { DateTime, TradeStatus, TradeType, WalletType } from '../../primitives.ts'
import { describe, stringEnum } from '../../schema.ts'
import { defineDashboardRoute } from './route.ts'

const EXPORTS = ['trades', 'ledger', 'audit'] as const
const What = stringEnum(EXPORTS, { title: 'ExportName' })
const filters = {
  status: Type.Optional(describe(TradeStatus, 'Of trades.')),
  type: Type.Optional(describe(TradeType, 'Of trades.')),
  walletType: Type.Optional(describe(WalletType, 'Of the ledger; the spot wallet when absent.')),
  from: Type.Optional(DateTime),
  to: Type.Optional(DateTime),
}

/** CSV files of any length. */
export const exportRoutes = {
  prepareExport: defineDashboardRoute({
    id: 'prepareExport',
    method: 'POST',
    path: '/dashboard/api/exports',
    capability: 'account.read',
    tag: 'Exports',
    summary: 'Record that an export is taken; its file can then be loaded for ten minutes',
    sensitive: true,
    body: Type.Object({ what: What, ...filters }, { title: 'ExportBody' }),
    response: Type.Object({ prepared: Type.Literal(true) }, { title: 'ExportPrepared' }),
    status: 200,
    refusals: [],
  }),
  downloadExport: defineDashboardRoute({
    id: 'downloadExport',
    method: 'GET',
    path: '/dashboard/api/exports/{what}',
    capability: 'account.read',
    tag: 'Exports',
    summary: 'Rows as CSV, newest first; the last line says how many there are',
    sensitive: true,
    params: Type.Object({ what: What }, { title: 'ExportParams' }),
    query: Type.Object(filters, { title: 'ExportQuery' }),
    response: Type.String({ description: 'text/csv, streamed.' }),
    status: 200,
    refusals: ['NOT_FOUND'],
  }),
} as const
