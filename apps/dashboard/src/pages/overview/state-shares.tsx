import { Link, type LinkProps } from '@tanstack/react-router'
import { Badge, type Tone } from '../../kit/notice.tsx'
import { formatCount, texts } from '../../texts/texts.ts'
import css from './overview.module.css'

interface StateSharesProps {
  /** The name of each, in the order in which they are listed. */
  readonly states: Readonly<Record<string, string>>
  readonly tones: Readonly<Record<string, Tone>>
  readonly counts: Readonly<Partial<Record<string, number>>>
  /** The list that shows those of a state. */
  readonly list?: '/trades' | '/orders' | '/admin/trades'
}

/** How many are in each state, with a bar of its share. */
export function StateShares({ states, tones, counts, list }: StateSharesProps) {
  const present = Object.entries(states).filter(([status]) => counts[status])
  if (present.length === 0) return <p className={css.empty}>{texts.kit.chart.empty}</p>
  const most = Math.max(...present.map(([status]) => counts[status] ?? 0))
  return (
    <ul className={css.states}>
      {present.map(([status, label]) => {
        const badge = <Badge tone={tones[status] ?? 'plain'}>{label}</Badge>
        const count = counts[status] ?? 0
        return (
          <li key={status}>
            {list === undefined ? (
              badge
            ) : (
              <Link {...({ to: list, search: { status } } as LinkProps)}>{badge}</Link>
            )}
            <svg className={css.share} data-tone={tones[status] ?? 'plain'} aria-hidden="true">
              <rect width={`${(count / most) * 100}%`} height="100%" />
            </svg>
            <span>{formatCount(count)}</span>
          </li>
        )
      })}
    </ul>
  )
}
