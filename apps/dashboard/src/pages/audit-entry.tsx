// What the audit logs of accounts and of the service show alike: what an act was about, and what it changed.

import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { AuditItem } from '@tradepost/contract'
import { Text } from '../kit/text.tsx'
import { sessionQuery } from '../queries/session.ts'
import { linkOfSubjectId } from '../shell/hit-links.ts'
import { records } from '../texts/records.ts'
import { texts } from '../texts/texts.ts'
import { factsText, nameOfFact, shownFact } from './facts.ts'

/** In words; its code, by which the log is filtered, when it is pointed at. */
export const AuditAct = ({ act }: Pick<AuditItem, 'act'>) => (
  <span title={act}>{records.acts[act] ?? act}</span>
)

/** By its kind and name, and as a link where this kind of account has a page of it. */
export function AuditSubject({ subject: { type, id, name } }: Pick<AuditItem, 'subject'>) {
  const { data: session } = useQuery(sessionQuery)
  const link = session && id !== null && linkOfSubjectId(session.user.accountKind, { type, id })
  const text = [type.replaceAll('_', ' '), name ?? id].filter(Boolean).join(' ')
  return link ? (
    <Link {...(link as LinkProps)}>
      <Text>{text}</Text>
    </Link>
  ) : (
    <Text>{text}</Text>
  )
}

/** Field by field what was before and after, and why: `House fee: 3.00% → 2.50% · reason: agreed`. */
export function entryText({ changes, facts }: Pick<AuditItem, 'changes' | 'facts'>): string {
  const changed = Object.entries(changes).map(([field, change]) => {
    const { from, to } = change as { readonly from: unknown; readonly to: unknown }
    const text = (value: unknown): string =>
      value === null || value === undefined ? '–' : shownFact(field, value)
    return `${nameOfFact(field)}: ${texts.merchant.audit.changed(text(from), text(to))}`
  })
  const others = Object.entries(facts).filter(([name]) => !Object.hasOwn(changes, name))
  return [...changed, factsText(Object.fromEntries(others))].filter(Boolean).join(' · ')
}
