// What the charts have in common: lines at the marks of the amounts, and names of days below the plot.
import css from './chart.module.css'

/** Where the plot begins, right of the marks' texts; SVG units are CSS pixels. */
export const LEFT = 64
/** Half the width of a day's name. */
const DAY_ROOM = 22

interface MarksProps {
  readonly marks: readonly number[]
  readonly yOf: (amount: number) => number
  /** `most` is the last mark: all are rounded alike. */
  readonly text: (amount: number, most: number) => string
  readonly width: number
}

export const Marks = ({ marks, yOf, text, width }: MarksProps) =>
  marks.map((at) => (
    <g key={at} className={css.tick}>
      <line x1={LEFT} x2={width} y1={yOf(at)} y2={yOf(at)} />
      <text x={LEFT - 8} y={yOf(at)} dy="0.32em" textAnchor="end">
        {text(at, marks.at(-1) ?? at)}
      </text>
    </g>
  ))

interface DayProps {
  readonly name: string
  /** The middle of the day. */
  readonly x: number
  /** The bottom of the chart. */
  readonly y: number
  readonly width: number
}

/** Within the drawing, however near to its edge the day is. */
export const Day = ({ name, x, y, width }: DayProps) => (
  <text className={css.day} x={Math.max(LEFT, Math.min(x, width - DAY_ROOM))} y={y - 6}>
    {name}
  </text>
)
