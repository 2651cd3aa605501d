// What administrators look into: cases, deliveries of all merchants, the audit log.
import { type Static, Type } from 'typebox'
import { asOf, cursorListOf, cursorQuery, Limit, staleCursorListOf } from '../lists.ts'
import { DateTime, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { DashboardDelivery } from './dashboard-account.ts'
import { AdminReason } from './dashboard-admin-accounts.ts'
import { AuditSubject } from './dashboard-merchant.ts'

const Details = Type.Record(Type.String(), Type.Unknown())

export const AdminCase = Type.Object(
  {
    id: Uuid,
    kind: Type.String(),
    meaning: describe(Type.String(), 'What a case of this kind says.'),
    subject: Type.String(),
    market: nullable(Type.String()),
    itemId: nullable(Uuid),
    state: stringEnum(['open', 'resolved']),
    clearedAt: nullable(describe(DateTime, 'When it was no longer so.')),
    sightings: Type.Integer(),
    firstSeenAt: DateTime,
    lastSeenAt: DateTime,
    resolvedAt: nullable(DateTime),
    resolvedBy: nullable(Type.String()),
    resolution: nullable(Type.String()),
  },
  { title: 'AdminCase' },
)
export type AdminCase = Static<typeof AdminCase>
export const AdminCaseDetail = Type.Object(
  {
    ...AdminCase.properties,
    source: Type.String(),
    facts: describe(Details, 'The evidence that makes it this case.'),
    notes: describe(Details, 'What was seen last.'),
    log: Type.Array(
      Type.Object({
        at: DateTime,
        what: stringEnum(['opened', 'changed', 'cleared', 'returned', 'resolved']),
        by: nullable(Type.String()),
        facts: Details,
      }),
    ),
    runbook: describe(Type.String(), 'The page that says what to do.'),
  },
  { title: 'AdminCaseDetail' },
)
export type AdminCaseDetail = Static<typeof AdminCaseDetail>
export const CasesQuery = Type.Object(
  {
    ...cursorQuery,
    state: Type.Optional(stringEnum(['open', 'resolved'])),
    kind: Type.Optional(Type.String({ pattern: '^[a-z_]{1,64}$' })),
  },
  { title: 'CasesQuery' },
)
export const AdminCases = cursorListOf('AdminCases', AdminCase)
export const CaseParams = Type.Object({ id: Uuid }, { title: 'CaseParams' })
export const ResolveCaseBody = Type.Object({ reason: AdminReason }, { title: 'ResolveCaseBody' })

export const AdminDelivery = Type.Object(
  { ...DashboardDelivery.properties, accountId: Uuid, accountName: Type.String() },
  { title: 'AdminDelivery' },
)
export const AdminDeliveries = staleCursorListOf('AdminDeliveries', AdminDelivery)
export const AdminEvent = Type.Object(
  {
    id: Uuid,
    type: Type.String(),
    accountId: describe(Uuid, 'The merchant or partner whose feed has it.'),
    accountName: Type.String(),
    subjectType: describe(Type.String(), 'What it is about, such as `trade`.'),
    subjectId: Uuid,
    createdAt: DateTime,
    dispatchedAt: nullable(describe(DateTime, 'When it was given to webhooks and sockets.')),
    payload: describe(Details, 'What it carries, as its account reads it now.'),
    deliveries: Type.Array(AdminDelivery),
  },
  { title: 'AdminEvent' },
)
export type AdminEvent = Static<typeof AdminEvent>
export const AdminEventParams = Type.Object({ id: Uuid }, { title: 'AdminEventParams' })
export const RetriedDeliveries = Type.Object(
  { retried: Type.Integer() },
  { title: 'RetriedDeliveries' },
)

export const AuditLogQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$', examples: ['1200'] })),
    limit: Limit,
    actor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description: 'A person’s e-mail address or id, or an operator’s name.',
      }),
    ),
    act: Type.Optional(Type.String({ pattern: '^[a-z_]+[.][a-z_]+$', examples: ['key.issue'] })),
    accountId: Type.Optional(Uuid),
    subjectId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
  },
  { title: 'AuditLogQuery' },
)
export const AuditLogEntry = Type.Object(
  {
    id: Type.String(),
    at: DateTime,
    actor: Type.Object({
      kind: stringEnum(['operator', 'administrator', 'member']),
      id: Type.String(),
      name: describe(Type.String(), 'A person’s e-mail address, or an operator’s name.'),
    }),
    act: Type.String(),
    subject: AuditSubject,
    accountId: nullable(Uuid),
    changes: describe(
      Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() })),
      'Each field that changed.',
    ),
    facts: Details,
    request: describe(
      Type.Record(Type.String(), Type.String()),
      'The address and id of the request, or the host of a command.',
    ),
  },
  { title: 'AuditLogEntry' },
)
export type AuditLogEntry = Static<typeof AuditLogEntry>
export const AuditLog = Type.Object(
  { items: Type.Array(AuditLogEntry), nextCursor: nullable(Type.String()), ...asOf },
  { title: 'AuditLog' },
)
