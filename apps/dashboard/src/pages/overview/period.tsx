// The time that the overview is about: one that ends now, or whole days. Figures are kept by days of UTC, so
// the days that are chosen are days of UTC too.
import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../kit/button.tsx'
import { Popover } from '../../kit/popover.tsx'
import { type Period, SPANS } from '../../queries/overview.ts'
import { locale, once, texts } from '../../texts/texts.ts'
import css from './overview.module.css'
import { Spans } from './spans.tsx'

const { overview: words } = texts

interface PeriodProps {
  readonly to: '/overview' | '/partner'
  readonly period: Period
}

export const PeriodChoice = ({ to, period }: PeriodProps) => (
  <div className={css.period}>
    <Spans to={to} spans={SPANS} names={words.spans} chosen={period.span} />
    <Days to={to} period={period} />
  </div>
)

const DAY_MS = 86_400_000
const days = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }))

/** The day of UTC in which a time lies, as a date field wants it. */
function dayOf(at: string | undefined): string {
  const time = Date.parse(at ?? '')
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10)
}

const shown = (day: string): string => (day === '' ? '' : days().format(new Date(day)))

function Days({ to, period }: PeriodProps) {
  const navigate = useNavigate()
  const isChosen = period.span === null
  const first = isChosen ? dayOf(period.from) : ''
  const last = isChosen ? dayOf(period.to) : ''
  const choose = (values: FormData): void => {
    const from = new Date(String(values.get('from')))
    const end = String(values.get('to') ?? '')
    const search = {
      from: from.toISOString(),
      // The last day is meant whole, and the end of a range belongs to it.
      ...(end !== '' && { to: new Date(Date.parse(end) + DAY_MS - 1).toISOString() }),
    }
    void navigate({ to, search: search as never })
  }
  return (
    <Popover
      title={words.days}
      isActive={isChosen}
      label={isChosen ? words.daysOf(shown(first), shown(last)) : words.days}
    >
      {(close) => (
        <form
          key={`${first} ${last}`}
          className={css.days}
          onSubmit={(event) => {
            event.preventDefault()
            close()
            choose(new FormData(event.currentTarget))
          }}
        >
          <label>
            {words.firstDay}
            <input type="date" name="from" defaultValue={first} required />
          </label>
          <label>
            {words.lastDay}
            <input type="date" name="to" defaultValue={last} />
          </label>
          <small>{words.daysHint}</small>
          <Button type="submit" look="main" size="small">
            {texts.kit.list.apply}
          </Button>
        </form>
      )}
    </Popover>
  )
}
