// What the pages that a mail's link opens share: its token, and what they say without one.
import { type ReactNode, useState } from 'react'
import { Notice } from '../../kit/notice.tsx'
import { AnonymousPage } from '../../shell/anonymous.tsx'
import { texts } from '../../texts/texts.ts'

/**
 * The token of the link that opened the page, empty where it has none. It stands behind the hash, so that no
 * server and no log sees it when the page is loaded. A button and not the page spends it: mail scanners load
 * pages.
 */
export const useMailToken = (): string => useState(tokenOfAddress)[0]

const tokenOfAddress = (): string =>
  new URLSearchParams(window.location.hash.slice(1)).get('token') ?? ''

interface MailLinkPageProps {
  readonly token: string
  readonly title: string
  /** What its reader does next without a token, and where. */
  readonly incomplete: readonly [next: string, place: ReactNode]
  /** With a token. */
  readonly links?: ReactNode
  readonly children: ReactNode
}

export function MailLinkPage({ token, title, incomplete, links, children }: MailLinkPageProps) {
  const [next, place] = incomplete
  const isWhole = token !== ''
  return (
    <AnonymousPage title={title} links={isWhole ? links : place}>
      {isWhole ? (
        children
      ) : (
        <Notice tone="warn">
          {texts.anonymous.incomplete} {next}
        </Notice>
      )}
    </AnonymousPage>
  )
}
