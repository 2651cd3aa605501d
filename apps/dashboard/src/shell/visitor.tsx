import { type ReactNode, useEffect } from 'react'
import css from './shell.module.css'

/** The frame of the pages before a login. */
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
        <h1>{title}</h1>
        {children}
        {links && <p className={css.links}>{links}</p>}
      </div>
    </main>
  )
}
