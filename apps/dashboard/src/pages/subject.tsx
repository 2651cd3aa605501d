// What an act was about, in the audit logs.
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { AuditItem } from '@tradepost/contract'
import { sessionQuery } from '../queries/session.ts'
import { linkOfSubjectId } from '../shell/hit-links.ts'

/** By its kind and name, and as a link where this kind of account has a page of it. */
export function AuditSubject({ subject: { type, id, name } }: Pick<AuditItem, 'subject'>) {
  const { data: session } = useQuery(sessionQuery)
  const link = session && id !== null && linkOfSubjectId(session.user.accountKind, { type, id })
  const text = [type.replaceAll('_', ' '), name ?? id].filter(Boolean).join(' ')
  return link ? <Link {...(link as LinkProps)}>{text}</Link> : text
}
