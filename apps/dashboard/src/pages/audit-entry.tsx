// What the audit logs of accounts and of the service show alike: what an act was about, and what it changed.

import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { AuditItem } from '@tradepost/contract'
import type { ReactNode } from 'react'
import type { ListColumn } from '../kit/list/list.tsx'
import { Text } from '../kit/text.tsx'
import { Time } from '../kit/time.tsx'
import { sessionQuery } from '../queries/session.ts'
import { linkOfSubjectId } from '../shell/hit-links.ts'
import { visible } from '../texts/foreign.ts'
import { readable } from '../texts/readable.ts'
import { records } from '../texts/records.ts'
import { texts } from '../texts/texts.ts'
import { detailLines, nameOfDetail, shownDetail } from './details.ts'

const words = texts.merchant.audit

/** In words; its code, by which the log is filtered, when it is pointed at. */
const AuditAct = ({ act }: Pick<AuditItem, 'act'>) => (
  <span title={act}>{records.acts[act] ?? act}</span>
)

/** By its kind and name, and as a link where this kind of account has a page of it. */
function AuditSubject({
  subject: { type, id, name },
  facts: { url },
}: Pick<AuditItem, 'subject' | 'facts'>) {
  const { data: session } = useQuery(sessionQuery)
  const link = session && id !== null && linkOfSubjectId(session.user.accountKind, { type, id })
  const kind = records.subjects[type] ?? readable(type)
  // The name of an endpoint is its address, which may be another one today.
  const own = type === 'webhook_endpoint' && typeof url === 'string' ? url : (name ?? id)
  const text = [kind, own].filter(Boolean).join(' ')
  return link ? (
    <Link {...(link as LinkProps)}>
      <Text>{text}</Text>
    </Link>
  ) : (
    <Text>{text}</Text>
  )
}

/** Field by field what was before and after, and why: `Service fee: 3.00% → 2.50% · Reason: agreed`. */
function entryText({ changes, facts }: Pick<AuditItem, 'changes' | 'facts'>): string {
  const labels = new Set(Object.keys(changes).map(nameOfDetail))
  const changed = Object.entries(changes).map(([field, change]) => {
    const { from, to } = change as { readonly from: unknown; readonly to: unknown }
    const text = (value: unknown): string =>
      value === null || value === undefined ? '–' : shownDetail(field, value)
    return `${nameOfDetail(field)}: ${texts.merchant.audit.changed(text(from), text(to))}`
  })
  const others = detailLines(facts).filter(([label]) => !labels.has(label))
  return [...changed, ...others.map(([label, value]) => `${label}: ${value}`)].join(' · ')
}

type LogEntry = Pick<AuditItem, 'at' | 'act' | 'subject' | 'facts' | 'changes'>

/** The same order in every log. */
export const auditColumns = <Entry extends LogEntry>(
  actorOf: (entry: Entry) => ReactNode,
): readonly ListColumn<Entry>[] => [
  { head: words.act, width: 180, cell: ({ act }) => <AuditAct act={act} /> },
  { head: words.actor, width: 250, cell: actorOf },
  {
    head: words.subject,
    width: 210,
    isMinor: true,
    cell: ({ subject, facts }) => <AuditSubject {...{ subject, facts }} />,
  },
  {
    head: words.changes,
    isMinor: true,
    cell: (entry) => {
      const text = entryText(entry)
      // Cut where it is long: whole when it is pointed at.
      return (
        <span title={visible(text)}>
          <Text>{text}</Text>
        </span>
      )
    },
  },
  { head: words.time, width: 190, cell: ({ at }) => <Time at={at} seconds /> },
]
