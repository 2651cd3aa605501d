import type { AuditItem } from '@tradepost/contract'
import { Export } from '../../kit/export.tsx'
import { text, time } from '../../kit/list/filters.ts'
import { List, ListPage } from '../../kit/list/list.tsx'
import { texts } from '../../texts/texts.ts'
import { auditColumns } from '../audit-entry.tsx'

const words = texts.merchant.audit

const LOG = {
  filters: [
    text('act', words.act, words.actHint),
    text('actorId', words.actorId),
    text('subjectId', words.subjectId),
    time(words.time),
  ],
  keyOf: ({ id }: AuditItem) => id,
  empty: words.empty,
  columns: auditColumns(actorOf),
} as const

export const AuditPage = () => (
  <ListPage
    {...LOG}
    title={words.title}
    route="listAudit"
    act={(query) => <Export what="audit" title={words.title} query={query} />}
  />
)

/** On the page of a child, for its partner. */
export const AuditOfChild = ({ childId }: { readonly childId: string }) => (
  <List {...LOG} caption={words.title} route="listAuditOfChild" params={{ childId }} />
)

function actorOf({ actor }: AuditItem): string {
  if (actor.name !== null && actor.kind === 'member') return actor.name
  return actor.kind === 'operator' ? words.operator : words.administrator
}
