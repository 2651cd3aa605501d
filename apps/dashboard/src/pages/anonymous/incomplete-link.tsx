import type { ReactNode } from 'react'
import { Notice } from '../../kit/notice.tsx'
import { AnonymousPage } from '../../shell/anonymous.tsx'
import { texts } from '../../texts/texts.ts'

interface IncompleteLinkProps {
  readonly title: string
  /** What its reader does next. */
  readonly text: string
  readonly links: ReactNode
}

/** A page of a mail's link that was opened without the token of the link. */
export const IncompleteLink = ({ title, text, links }: IncompleteLinkProps) => (
  <AnonymousPage title={title} links={links}>
    <Notice tone="warn">
      {texts.anonymous.incomplete} {text}
    </Notice>
  </AnonymousPage>
)
