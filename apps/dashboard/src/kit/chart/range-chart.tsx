// A figure of each day with its range: the middle as a line, from the lowest to the highest as a band, and a count of
// the day as bars below. Days without figures leave a gap. The same is there as a table.
import { useId, useRef, useState } from 'react'
import { texts } from '../../texts/texts.ts'
import { Table } from '../table.tsx'
import { Day, LEFT, Marks } from './axis.tsx'
import css from './chart.module.css'
import { marksOf } from './scale.ts'
import { useWidth } from './time-chart.tsx'

const words = texts.kit.chart

export interface RangeDay {
  /** `2026-11-29`. */
  readonly date: string
  readonly lowest: number
  readonly median: number
  readonly highest: number
  readonly volume: number
}

interface RangeChartProps {
  readonly title: string
  readonly summary: string
  readonly heads: Readonly<Record<keyof RangeDay, string>>
  /** By rising date. */
  readonly days: readonly RangeDay[]
  readonly form: (date: string) => string
  readonly value: (amount: number) => string
  readonly mark: (amount: number, most: number) => string
  readonly count: (volume: number) => string
}

const HEIGHT = 220
const TOP = 8
/** Where the plot ends, and the bars of volume stand. */
const PLOT_END = 158
const VOLUME_END = 198
const DAY_MS = 86_400_000
const MARKS = 4

export function RangeChart(props: RangeChartProps) {
  const { title, summary, days, heads, form, value, count } = props
  const frame = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const width = useWidth(frame)
  const id = useId()
  return (
    <figure className={css.figure}>
      <figcaption>
        <h2>{title}</h2>
        <span className={css.keys}>
          {heads.median} · {heads.volume}
        </span>
      </figcaption>
      <div ref={frame} className={css.tall}>
        {days.length === 0 ? (
          <p className={css.empty}>{words.empty}</p>
        ) : (
          width !== null && (
            <svg width={width} height={HEIGHT} role="img" aria-labelledby={id}>
              <title id={id}>{`${title}. ${summary}`}</title>
              <Plot {...props} width={width} />
            </svg>
          )
        )}
      </div>
      {days.length > 0 && (
        <details
          className={css.table}
          onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        >
          <summary aria-label={`${words.table}. ${title}`}>{words.table}</summary>
          {isOpen && (
            <Table
              caption={title}
              empty={words.empty}
              rows={days.toReversed()}
              keyOf={({ date }) => date}
              columns={[
                { head: heads.date, cell: ({ date }) => form(date) },
                ...(['lowest', 'median', 'highest'] as const).map((name) => ({
                  head: heads[name],
                  align: 'end' as const,
                  cell: (day: RangeDay) => value(day[name]),
                })),
                { head: heads.volume, align: 'end', cell: ({ volume }) => count(volume) },
              ]}
            />
          )}
        </details>
      )}
    </figure>
  )
}

function Plot({
  days,
  heads,
  form,
  value,
  mark,
  count,
  width,
}: RangeChartProps & { readonly width: number }) {
  const first = Date.parse(days[0]?.date ?? '')
  const last = Date.parse(days.at(-1)?.date ?? '')
  const room = (width - LEFT) / ((last - first) / DAY_MS + 1)
  const xOf = (date: string): number => LEFT + ((Date.parse(date) - first) / DAY_MS + 0.5) * room
  const marks = marksOf(Math.max(...days.map(({ highest }) => highest)), {
    ...{ count: MARKS, least: 0.01 },
  })
  const most = marks.at(-1) ?? 1
  const yOf = (amount: number): number => PLOT_END - (amount / most) * (PLOT_END - TOP)
  const mostSold = Math.max(1, ...days.map(({ volume }) => volume))
  const runs = runsOf(days)
  const every = Math.max(1, Math.ceil(days.length / Math.max(1, Math.floor(width / 110))))
  const bar = Math.max(1, Math.min(18, room * 0.7))
  return (
    <g>
      <Marks {...{ marks, yOf, text: mark, width }} />
      {runs.map((run) => {
        const points = (name: 'lowest' | 'median' | 'highest', of = run): string =>
          of.map((day) => `${xOf(day.date).toFixed(1)} ${yOf(day[name]).toFixed(1)}`).join('L')
        const [only] = run
        return (
          <g key={only?.date}>
            <path
              className={css.band}
              d={`M${points('highest')}L${points('lowest', run.toReversed())}z`}
            />
            <path className={css.median} d={`M${points('median')}`} />
            {only !== undefined && run.length === 1 && (
              <circle className={css.dot} cx={xOf(only.date)} cy={yOf(only.median)} r={2.5} />
            )}
          </g>
        )
      })}
      {days.map(({ date, median, volume }, i) => {
        const height = (volume / mostSold) * (VOLUME_END - PLOT_END - 8)
        return (
          <g key={date}>
            <rect
              className={css.volume}
              {...{ x: xOf(date) - bar / 2, y: VOLUME_END - height, width: bar, height }}
            />
            <rect
              className={css.hit}
              {...{ x: xOf(date) - room / 2, y: TOP, width: room, height: VOLUME_END - TOP }}
            >
              <title>
                {`${form(date)}: ${heads.median} ${value(median)}, ${heads.volume} ${count(volume)}`}
              </title>
            </rect>
            {(days.length - 1 - i) % every === 0 && (
              <Day name={form(date)} x={xOf(date)} y={HEIGHT} width={width} />
            )}
          </g>
        )
      })}
    </g>
  )
}

/** Days that follow one another without a gap. */
function runsOf(days: readonly RangeDay[]): RangeDay[][] {
  const runs: RangeDay[][] = []
  let before = Number.NaN
  for (const day of days) {
    const at = Date.parse(day.date)
    if (at - before === DAY_MS) runs.at(-1)?.push(day)
    else runs.push([day])
    before = at
  }
  return runs
}
