// Bars over time, as SVG that the page's own styles colour: a title, a sentence that says what it shows, and
// the same figures as a table.
import { useId, useLayoutEffect, useRef, useState } from 'react'
import { texts } from '../../texts/texts.ts'
import { Day, LEFT, Marks } from './axis.tsx'
import css from './chart.module.css'
import { barsOf, marksOf } from './scale.ts'

const words = texts.kit.chart

export interface Series {
  readonly label: string
  /** One for each bucket. */
  readonly values: readonly number[]
}

export interface TimeChartProps {
  readonly title: string
  readonly summary: string
  /** The start of each bar's time, ISO 8601. */
  readonly buckets: readonly string[]
  /** What one bar is, such as `UTC day`: named at the axis and beside each time. */
  readonly unit: string
  /** How a bucket's start is shown. */
  readonly form: (at: string) => string
  /** Drawn on top of each other; at most four can be told apart by their shade. */
  readonly series: readonly Series[]
  /** Exact, for the table and under the pointer. */
  readonly value: (value: number) => string
  /** The same at the marks of the axis, where it may be rounded, all alike: `most` is the last mark. */
  readonly mark?: (value: number, most: number) => string
  /** Marks are at least so far apart: a count has no halves, money no half cents. */
  readonly step: number
}

const HEIGHT = 180
const BOTTOM = 28
const TOP = 8
const MARKS = 4

export function TimeChart({
  title,
  summary,
  buckets,
  unit,
  form,
  series,
  value,
  mark = value,
  step,
}: TimeChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const width = useWidth(frame)
  const sums = buckets.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0))
  const top = Math.max(...sums, 0)
  return (
    <figure className={css.figure}>
      <figcaption>
        <h2>{title}</h2>
        {series.length > 1 && (
          <ul className={css.legend}>
            {series.map(({ label }, i) => (
              <li key={label} data-series={i}>
                {label}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <div ref={frame} className={css.frame}>
        {top === 0 ? (
          <p className={css.empty}>{words.empty}</p>
        ) : (
          width !== null && (
            <svg width={width} height={HEIGHT} role="img" aria-labelledby={id}>
              <title id={id}>{`${title}. ${words.bars(unit)} ${summary}`}</title>
              <Drawing {...{ buckets, unit, form, series, value, mark, step, width, top }} />
            </svg>
          )
        )}
      </div>
      {top > 0 && (
        <details
          className={css.table}
          onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        >
          <summary aria-label={`${words.table}. ${title}. ${words.bars(unit)}`}>
            {words.table}
          </summary>
          {isOpen && <Figures {...{ title, buckets, unit, form, series, value }} />}
        </details>
      )}
    </figure>
  )
}

/** In the place of a chart whose figures are being loaded. */
export const WaitingChart = ({
  title,
  isTall = false,
}: Pick<TimeChartProps, 'title'> & { readonly isTall?: boolean }) => (
  <figure className={css.figure} data-loading>
    <figcaption>
      <h2>{title}</h2>
    </figcaption>
    <div className={isTall ? css.tall : css.frame} />
  </figure>
)

/** The same as a table, drawn when it is asked for. */
const Figures = ({
  title,
  buckets,
  unit,
  form,
  series,
  value,
}: Pick<TimeChartProps, 'title' | 'buckets' | 'unit' | 'form' | 'series' | 'value'>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section tabIndex={0} aria-label={title}>
    <table>
      <thead>
        <tr>
          <th scope="col">{unit}</th>
          {series.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {buckets.map((at, i) => (
          <tr key={at}>
            <th scope="row">{form(at)}</th>
            {series.map(({ label, values }) => (
              <td key={label}>{value(values[i] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

type DrawingProps = Omit<Required<TimeChartProps>, 'title' | 'summary'> & {
  readonly width: number
  readonly top: number
}

function Drawing({ buckets, unit, form, series, value, mark, step, width, top }: DrawingProps) {
  const bars = barsOf(buckets.length, LEFT, width)
  const marks = marksOf(top, { count: MARKS, least: step })
  const most = marks.at(-1) ?? 1
  const y = (amount: number): number => HEIGHT - BOTTOM - (amount / most) * (HEIGHT - BOTTOM - TOP)
  const labelled = Math.max(1, Math.ceil(buckets.length / Math.max(1, Math.floor(width / 96))))
  return (
    <g>
      <Marks {...{ marks, yOf: y, text: mark, width }} />
      <text className={css.unit} x={0} y={HEIGHT - 6}>
        {unit}
      </text>
      {buckets.map((at, i) => {
        let base = 0
        const left = bars.leftOf(i)
        return (
          <g key={at}>
            {series.map(({ label, values }, s) => {
              const from = base
              base += values[i] ?? 0
              return (
                <rect
                  key={label}
                  className={css.bar}
                  data-series={s}
                  x={left}
                  width={bars.width}
                  y={y(base)}
                  height={Math.max(0, y(from) - y(base))}
                >
                  <title>{`${form(at)} (${unit}): ${label} ${value(values[i] ?? 0)}`}</title>
                </rect>
              )
            })}
            {(buckets.length - 1 - i) % labelled === 0 && (
              <Day name={form(at)} x={left + bars.width / 2} y={HEIGHT} width={width} />
            )}
          </g>
        )
      })}
    </g>
  )
}

/** Measured before the first paint, so that the bars are drawn once; null until then. */
export function useWidth(frame: React.RefObject<HTMLDivElement | null>): number | null {
  const [width, setWidth] = useState<number | null>(null)
  useLayoutEffect(() => {
    if (frame.current === null) return
    const take = (px: number): void => setWidth(Math.max(200, Math.floor(px)))
    take(frame.current.clientWidth)
    const observer = new ResizeObserver(([entry]) => {
      if (entry) take(entry.contentRect.width)
    })
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [frame])
  return width
}
