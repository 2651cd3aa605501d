import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { giveUpChanges, isChanging, onChanging } from '../api/call.ts'
import { Brand } from '../kit/brand.tsx'
import css from './shell.module.css'
import { Stalled } from './stalled.tsx'

interface VisitorPageProps {
  readonly title: string
  readonly children: ReactNode
  readonly links?: ReactNode
}

/** The frame of the pages before a login, and of an address without a page. */
export function VisitorPage({ children, ...frame }: VisitorPageProps) {
  // What a visitor sends asks no provider and no endpoint, which may take longer.
  const isSending = useSyncExternalStore(onChanging, isChanging)
  return (
    <VisitorFrame {...frame}>
      <Stalled isSending={isSending} onGiveUp={giveUpChanges} />
      {children}
    </VisitorFrame>
  )
}

/** The same where no router is yet. */
export function VisitorFrame({ title, children, links }: VisitorPageProps) {
  useEffect(() => {
    document.title = `${title} · Tradepost`
  }, [title])
  return (
    <main className={css.visitor}>
      <div className={css.card}>
        <p>
          <Brand />
        </p>
        <h1>{title}</h1>
        {children}
        {links && <p className={css.links}>{links}</p>}
      </div>
    </main>
  )
}
