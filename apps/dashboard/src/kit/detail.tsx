// The parts of a page about one object: its tabs as addresses, its details, what happened to it.
import { Link, type LinkProps, useLocation, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { texts } from '../texts/texts.ts'
import css from './detail.module.css'
import { Folded } from './folded.tsx'
import { asText } from './text.tsx'
import { Time } from './time.tsx'

const words = texts.kit.detail

export interface Tab {
  readonly label: string
  readonly link: Pick<LinkProps, 'to' | 'params'>
}

/**
 * Each tab is an address of its own, so that it can be sent to a colleague. For an address that is none of
 * theirs a page shows its first tab, which is marked.
 */
export function Tabs({ tabs }: { readonly tabs: readonly Tab[] }) {
  const router = useRouter()
  const { pathname } = useLocation()
  const isNone = tabs.every(({ link }) => router.buildLocation(link).pathname !== pathname)
  const bar = useRef<HTMLElement>(null)
  // A phone shows a few tabs at a time: the open one is among them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the open tab is another one at another address
  useEffect(() => {
    const open = bar.current?.querySelector('[aria-current="page"]')
    open?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <nav ref={bar} className={css.tabs} aria-label={words.tabs}>
      {tabs.map(({ label, link }, i) => (
        <Link
          key={label}
          {...(link as LinkProps)}
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={isNone && i === 0 ? 'page' : undefined}
          resetScroll={false}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

export interface DetailListProps {
  readonly details: readonly (readonly [label: string, value: ReactNode])[]
}

/** Labels with values; what is null or false is left out. */
export const DetailList = ({ details }: DetailListProps) => (
  <dl className={css.details}>
    {details
      .filter(
        ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
      )
      .map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{asText(value)}</dd>
        </div>
      ))}
  </dl>
)

/** A few figures side by side, the way a reader compares them. */
export const Figures = ({
  figures,
}: {
  readonly figures: readonly (readonly [label: string, value: ReactNode, note?: ReactNode])[]
}) => (
  <dl className={css.figures}>
    {figures.map(([label, value, note]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
        {note && <dd className={css.note}>{note}</dd>}
      </div>
    ))}
  </dl>
)

export interface TimelineEntry {
  readonly at: string
  readonly title: ReactNode
  readonly detail?: ReactNode
  readonly tone?: 'good' | 'warn' | 'bad'
  /** What belongs to it, below a line that opens. */
  readonly folded?: { readonly summary: string; readonly entries: readonly TimelineEntry[] }
}

/** What happened, oldest first. */
export const Timeline = ({ entries }: { readonly entries: readonly TimelineEntry[] }) => (
  <ol className={css.timeline}>
    {entries.map(({ at, title, detail, tone, folded }, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id and are only ever appended
      <li key={i} data-tone={tone}>
        <div className={css.what}>{asText(title)}</div>
        <Time at={at} seconds />
        {detail && <div className={css.more}>{asText(detail)}</div>}
        {folded && (
          <div className={css.more}>
            <Folded summary={folded.summary}>
              <Timeline entries={folded.entries} />
            </Folded>
          </div>
        )}
      </li>
    ))}
  </ol>
)

/** What matters on the left, details on the right; below each other where it is narrow. */
export const Columns = ({
  children,
  aside,
}: {
  readonly children: ReactNode
  readonly aside: ReactNode
}) => (
  <div className={css.columns}>
    <div className={css.main}>{children}</div>
    <aside className={css.main}>{aside}</aside>
  </div>
)
