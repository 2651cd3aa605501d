import { type ReactNode, useEffect } from 'react'
import { texts } from '../texts/texts.ts'
import css from './shell.module.css'

/** The frame of the pages before a login, and of an address without a page. */
export function VisitorPage({
  title,
  children,
  links,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly links?: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Tradepost`
  }, [title])
  return (
    <main className={css.visitor}>
      <div className={css.card}>
        <p className={css.brand}>{texts.product}</p>
        <h1>{title}</h1>
        {children}
        {links && <p className={css.links}>{links}</p>}
      </div>
    </main>
  )
}
