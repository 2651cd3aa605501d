import type { AuditLogEntry } from '@tradepost/contract'
import { Export } from '../../kit/export.tsx'
import { text, time } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { admin as words } from '../../texts/admin.ts'
import { auditColumns } from '../audit-entry.tsx'

/** Who did what, with what it changed, field by field. */
export const AuditLogPage = () => (
  <ListPage
    title={words.auditLog}
    route="listAuditLog"
    keyOf={({ id }) => id}
    filters={[
      text('actor', words.actor, words.actorHint),
      text('act', words.act, words.actHint),
      text('accountId', words.account),
      text('subjectId', words.subject),
      time(words.at),
    ]}
    empty={words.noEntries}
    act={(query) => <Export what="audit_log" title={words.auditLog} query={query} />}
    isLive
    columns={auditColumns(({ actor }: AuditLogEntry) => actor.name)}
  />
)
