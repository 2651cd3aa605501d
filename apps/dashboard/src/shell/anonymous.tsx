import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { giveUpChanges, isChanging, onChanging } from '../api/call.ts'
import { Brand } from '../kit/brand.tsx'
import css from './shell.module.css'
import { Stalled } from './stalled.tsx'

interface AnonymousPageProps {
  readonly title: string
  readonly children: ReactNode
  readonly links?: ReactNode
}

/** The frame of the pages before a login, and of an address without a page. */
export function AnonymousPage({ children, ...frame }: AnonymousPageProps) {
  // What an anonymous caller sends asks no provider and no endpoint, which may take longer.
  const isSending = useSyncExternalStore(onChanging, isChanging)
  return (
    <AnonymousFrame {...frame}>
      <Stalled isSending={isSending} onGiveUp={giveUpChanges} />
      {children}
    </AnonymousFrame>
  )
}

/** The same where no router is yet. */
export function AnonymousFrame({ title, children, links }: AnonymousPageProps) {
  useEffect(() => {
    document.title = `${title} · Tradepost`
  }, [title])
  return (
    <main className={css.anonymous}>
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
