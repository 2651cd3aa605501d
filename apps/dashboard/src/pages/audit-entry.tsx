// What the audit logs of accounts and of the service show alike: what an act was about, and what it changed.
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { AuditItem } from '@tradepost/contract'
import { sessionQuery } from '../queries/session.ts'
import { linkOfSubjectId } from '../shell/hit-links.ts'
import { formatPercent, texts } from '../texts/texts.ts'

/** By its kind and name, and as a link where this kind of account has a page of it. */
export function AuditSubject({ subject: { type, id, name } }: Pick<AuditItem, 'subject'>) {
  const { data: session } = useQuery(sessionQuery)
  const link = session && id !== null && linkOfSubjectId(session.user.accountKind, { type, id })
  const text = [type.replaceAll('_', ' '), name ?? id].filter(Boolean).join(' ')
  return link ? <Link {...(link as LinkProps)}>{text}</Link> : text
}

/** Field by field what was before and after: `House fee: 3.00% → 2.50%`. Empty without changes. */
export const changesText = ({ changes }: Pick<AuditItem, 'changes'>): string =>
  Object.entries(changes)
    .map(([field, change]) => {
      const { from, to } = change as { readonly from: unknown; readonly to: unknown }
      const text = (value: unknown): string =>
        field.endsWith('Bps') && typeof value === 'number'
          ? `${formatPercent(value)}%`
          : shown(value)
      const label = texts.merchant.audit.fields[field] ?? field
      return `${label}: ${texts.merchant.audit.changed(text(from), text(to))}`
    })
    .join(', ')

/** A value of a change or a fact. */
export const shown = (value: unknown): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
