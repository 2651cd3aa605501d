import { type Static, Type } from 'typebox'
import { FilterText } from '../../primitives.ts'
import { describe, stringEnum } from '../../schema.ts'
import { Statement, StatementQuery } from '../../shapes/statement.ts'
import { defineDashboardRoute } from './route.ts'

const StatementFormat = stringEnum(['pdf', 'csv'], { title: 'StatementFormat' })
export type StatementFormat = Static<typeof StatementFormat>

/** Statements of the session's account and of its users. */
export const statementRoutes = {
  readStatement: defineDashboardRoute({
    id: 'readStatement',
    method: 'GET',
    path: '/dashboard/api/statements',
    capability: 'account.read',
    tag: 'Wallets',
    // As a PDF it takes as much of a processor as all of an export's page.
    cost: 5,
    summary: 'The statement of a month, also as a file to save, which is audited',
    query: Type.Object({
      month: StatementQuery.properties.month,
      subUserId: Type.Optional(
        describe(FilterText, 'A sub-user or a child, by id; a sub-user also by external id.'),
      ),
      format: Type.Optional(describe(StatementFormat, 'A file; JSON unless given.')),
    }),
    response: Statement,
    status: 200,
    refusals: ['USER_NOT_FOUND', 'SERVICE_DISABLED'],
  }),
} as const
