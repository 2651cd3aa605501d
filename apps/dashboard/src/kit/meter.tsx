import css from './meter.module.css'

/** How much of a limit is used, below the text that says it. */
export const Meter = ({
  label,
  used,
  limit,
}: {
  readonly label: string
  readonly used: number
  readonly limit: number
}) => (
  <meter
    className={css.meter}
    {...{ min: 0, max: limit, high: limit * 0.8, value: used }}
    aria-label={label}
  />
)
