import type { AuditItem } from '@tradepost/contract'
import { Export } from '../../kit/export.tsx'
import { text, time } from '../../kit/list/filters.ts'
import { List, type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { Time } from '../../kit/time.tsx'
import { texts } from '../../texts/texts.ts'
import { AuditAct, AuditSubject, entryText } from '../audit-entry.tsx'

const words = texts.merchant.audit

const COLUMNS: readonly ListColumn<AuditItem>[] = [
  { head: words.act, width: 240, cell: ({ act }) => <AuditAct act={act} /> },
  { head: words.actor, cell: actorOf },
  {
    head: words.subject,
    isMinor: true,
    cell: ({ subject }) => <AuditSubject subject={subject} />,
  },
  {
    head: words.changes,
    isMinor: true,
    cell: entryText,
  },
  { head: words.time, width: 210, cell: ({ at }) => <Time at={at} seconds /> },
]

const LOG = {
  filters: [
    text('act', words.act, words.actHint),
    text('actorId', words.actorId),
    text('subjectId', words.subjectId),
    time(words.time),
  ],
  keyOf: ({ id }: AuditItem) => id,
  empty: words.empty,
  columns: COLUMNS,
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
