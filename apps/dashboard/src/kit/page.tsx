import { Link, type LinkProps } from '@tanstack/react-router'
import { Fragment, type ReactNode, useEffect, useRef } from 'react'
import { isolated, visible } from '../texts/foreign.ts'
import css from './page.module.css'

export interface PageProps {
  readonly title: string
  /** The list that its object is of, with the way back. */
  readonly parent?: readonly [label: string, link: Pick<LinkProps, 'to' | 'params'>] | undefined
  /** Beside the heading, such as the state of the object. */
  readonly badge?: ReactNode
  readonly act?: ReactNode
  readonly children: ReactNode
}

/** A page: its heading takes the focus after navigation. */
export function Page({ title, parent, badge, act, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${isolated(title)} · Tradepost`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div className={css.page}>
      <header className={css.head}>
        {parent && (
          <Link {...(parent[1] as LinkProps)} className={css.parent}>
            <bdi>{visible(parent[0])}</bdi>
          </Link>
        )}
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{breakable(visible(title))}</bdi>
        </h1>
        {badge && <span className={css.badge}>{badge}</span>}
        {act}
      </header>
      {children}
    </div>
  )
}

/** A long name without spaces, such as that of an event, is broken behind its dots. */
const breakable = (title: string): ReactNode =>
  title.split(/(?<=[._])/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text
    <Fragment key={i}>
      {part}
      <wbr />
    </Fragment>
  ))

/** The acts of a page side by side. */
export const Acts = ({ children }: { readonly children: ReactNode }) => (
  <div className={css.acts}>{children}</div>
)

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
