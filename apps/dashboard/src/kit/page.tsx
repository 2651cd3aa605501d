import { type ReactNode, useEffect, useRef } from 'react'
import css from './page.module.css'

interface PageProps {
  readonly title: string
  readonly act?: ReactNode
  /** For lists: as wide as the window allows. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** A page: its heading takes the focus after navigation. */
export function Page({ title, act, isWide = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Tradepost`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div className={css.page} data-wide={isWide || undefined}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {act}
      </header>
      {children}
    </div>
  )
}

export const Section = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) => (
  <section className={css.section}>
    <h2>{title}</h2>
    {children}
  </section>
)
