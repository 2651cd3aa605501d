import { type Static, Type } from 'typebox'
import {
  DateTime,
  FilterText,
  filterListOf,
  TRADE_STATUSES,
  TRADE_TYPES,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  WalletType,
} from '../../primitives.ts'
import { describe, stringEnum } from '../../schema.ts'
import { AuditLogQuery } from '../../shapes/dashboard-admin-records.ts'
import { DEPOSIT_STATUSES, DepositMethod } from '../../shapes/deposit.ts'
import { ORDER_STATUSES } from '../../shapes/partner/order.ts'
import { WITHDRAWAL_STATUSES } from '../../shapes/payout.ts'
import { defineDashboardRoute, FOR_ADMINISTRATORS } from './route.ts'

const EXPORTS = [
  'trades',
  'ledger',
  'deposits',
  'withdrawals',
  'audit',
  'orders',
  'transfers',
] as const
/** The states that the rows of each export may be narrowed to. */
export const EXPORT_STATUSES = {
  trades: TRADE_STATUSES,
  ledger: TRANSACTION_STATUSES,
  deposits: DEPOSIT_STATUSES,
  withdrawals: WITHDRAWAL_STATUSES,
  orders: ORDER_STATUSES,
} as const
/** The same of types. */
export const EXPORT_TYPES = { trades: TRADE_TYPES, ledger: TRANSACTION_TYPES } as const
const valuesOf = <T extends string>(lists: Readonly<Record<string, readonly T[]>>): T[] => [
  ...new Set(Object.values(lists).flat()),
]

const What = stringEnum(EXPORTS, { title: 'ExportName' })
export type ExportName = Static<typeof What>
const filters = {
  status: Type.Optional(
    describe(
      filterListOf(valuesOf(EXPORT_STATUSES)),
      'One that the rows can have; of trades also several, separated by commas.',
    ),
  ),
  type: Type.Optional(
    stringEnum(valuesOf(EXPORT_TYPES), { description: 'Of trades and of the ledger.' }),
  ),
  method: Type.Optional(describe(DepositMethod, 'Of deposits.')),
  walletType: Type.Optional(describe(WalletType, 'Of the ledger; the spot wallet when absent.')),
  userId: Type.Optional(
    describe(FilterText, 'The account itself, or one of its users: by id or external id.'),
  ),
  itemName: Type.Optional(describe(FilterText, 'Of trades and orders: any part of the name.')),
  externalId: Type.Optional(describe(FilterText, 'Of trades and withdrawals.')),
  offerId: Type.Optional(describe(FilterText, 'Of trades.')),
  tradeId: Type.Optional(describe(FilterText, 'Of trades.')),
  hideResolved: Type.Optional(
    describe(stringEnum(['true', 'false']), 'Of trades: leaves out failed and reverted ones.'),
  ),
  act: Type.Optional(describe(FilterText, 'Of the audit log, as the two below.')),
  actorId: Type.Optional(FilterText),
  subjectId: Type.Optional(FilterText),
  from: Type.Optional(DateTime),
  to: Type.Optional(DateTime),
}
const CsvFile = Type.String({
  description:
    'text/csv in UTF-8 with a byte order mark and CRLF, streamed. An answer that ends without its last chunk was cut off.',
})
const ExportQuery = Type.Object(filters, { title: 'ExportQuery' })
export type ExportQuery = Static<typeof ExportQuery>

const { cursor: _cursor, limit: _limit, ...ofAuditLog } = AuditLogQuery.properties

/** CSV files of any length. */
export const exportRoutes = {
  prepareExport: defineDashboardRoute({
    id: 'prepareExport',
    method: 'POST',
    path: '/dashboard/api/exports',
    capability: 'account.read',
    tag: 'Exports',
    summary: 'Check what is asked for; the file can then be loaded for ten minutes',
    sensitive: true,
    body: Type.Object({ what: What, ...filters }, { title: 'ExportBody' }),
    response: Type.Object({ prepared: Type.Literal(true) }, { title: 'ExportPrepared' }),
    status: 200,
    refusals: ['NOT_FOUND', 'USER_NOT_FOUND'],
  }),
  downloadExport: defineDashboardRoute({
    id: 'downloadExport',
    method: 'GET',
    path: '/dashboard/api/exports/{what}',
    capability: 'account.read',
    tag: 'Exports',
    summary: 'Rows as CSV, newest first. It is audited',
    sensitive: true,
    params: Type.Object({ what: What }, { title: 'ExportParams' }),
    query: ExportQuery,
    response: CsvFile,
    status: 200,
    refusals: ['NOT_FOUND', 'USER_NOT_FOUND'],
  }),
  prepareAuditLogExport: defineDashboardRoute({
    ...FOR_ADMINISTRATORS,
    id: 'prepareAuditLogExport',
    method: 'POST',
    path: '/dashboard/api/admin/audit-log/exports',
    summary: 'Check what is asked for; the file can then be loaded for ten minutes',
    sensitive: true,
    body: Type.Object(ofAuditLog, { title: 'AuditLogExportBody' }),
    response: Type.Object({ prepared: Type.Literal(true) }, { title: 'AuditLogExportPrepared' }),
    status: 200,
    refusals: [],
  }),
  downloadAuditLogExport: defineDashboardRoute({
    ...FOR_ADMINISTRATORS,
    id: 'downloadAuditLogExport',
    method: 'GET',
    path: '/dashboard/api/admin/audit-log/export',
    summary: 'The audit log as CSV, newest first. It is audited',
    sensitive: true,
    query: Type.Object(ofAuditLog, { title: 'AuditLogExportQuery' }),
    response: CsvFile,
    status: 200,
    refusals: [],
  }),
} as const
