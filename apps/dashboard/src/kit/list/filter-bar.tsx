// The filters of a list: a button each, with its value, and a panel that changes it.
import { useNavigate } from '@tanstack/react-router'
import type { ViewedList } from '@tradepost/contract'
import { texts } from '../../texts/texts.ts'
import { Button } from '../button.tsx'
import { Popover } from '../popover.tsx'
import { type Filter, namesOf, shownValue } from './filters.ts'
import css from './list.module.css'
import { Views } from './views.tsx'

type Search = Readonly<Record<string, string | undefined>>

const words = texts.kit.list

interface FilterBarProps {
  readonly filters: readonly Filter[]
  readonly search: Search
  /** The list, for its saved views; left out where it has none. */
  readonly list?: ViewedList
  /** Parameters that a changed filter makes meaningless, such as a page's number. */
  readonly resets?: readonly string[]
}

export function FilterBar({ filters, search, list, resets = [] }: FilterBarProps) {
  const navigate = useNavigate()
  const change = (next: Search): void => {
    const reset = Object.fromEntries(resets.map((name) => [name, undefined]))
    const whole = { ...search, ...reset, ...next }
    void navigate({ to: '.', search: whole as never, resetScroll: true })
  }
  const names = filters.flatMap(namesOf)
  const isAnySet = names.some((name) => search[name])
  return (
    <section className={css.bar} aria-label={words.filters}>
      {list && (
        <span className={css.chip}>
          <Views {...{ list, filters, search }} />
        </span>
      )}
      {filters.map((filter) => {
        const value = shownValue(filter, search, words)
        return (
          <span key={filter.label} className={css.chip}>
            <Popover
              title={filter.label}
              isActive={value !== null}
              label={value === null ? `+ ${filter.label}` : `${filter.label}: ${value}`}
            >
              {(close) => (
                <FilterForm
                  // A changed value is a new form: its fields start from it.
                  key={JSON.stringify(namesOf(filter).map((name) => search[name]))}
                  {...{ filter, search }}
                  onChange={(next) => {
                    close()
                    change(next)
                  }}
                />
              )}
            </Popover>
            {value !== null && (
              <button
                type="button"
                className={css.remove}
                aria-label={words.clearOne(filter.label)}
                onClick={() =>
                  change(Object.fromEntries(namesOf(filter).map((name) => [name, undefined])))
                }
              >
                ×
              </button>
            )}
          </span>
        )
      })}
      {isAnySet && (
        <Button
          look="quiet"
          size="small"
          onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          {words.clear}
        </Button>
      )}
    </section>
  )
}

interface FilterFormProps {
  readonly filter: Filter
  readonly search: Search
  readonly onChange: (next: Search) => void
}

function FilterForm({ filter, search, onChange }: FilterFormProps) {
  const submit = (values: FormData): void => {
    if (filter.kind === 'time') {
      const at = (name: string, days: number): string | undefined => {
        const day = String(values.get(name) ?? '')
        if (day === '') return undefined
        const start = new Date(`${day}T00:00:00`)
        start.setDate(start.getDate() + days)
        return start.toISOString()
      }
      // The last day is meant whole.
      onChange({ from: at('from', 0), to: at('to', 1) })
    } else {
      const chosen = values.getAll(filter.name).map((each) => String(each).trim())
      onChange({ [filter.name]: chosen.filter(Boolean).join(',') || undefined })
    }
  }
  return (
    <form
      className={css.filter}
      onSubmit={(event) => {
        event.preventDefault()
        submit(new FormData(event.currentTarget))
      }}
    >
      <FilterFields {...{ filter, search, onChange }} />
      <Button type="submit" look="main" size="small">
        {words.apply}
      </Button>
    </form>
  )
}

function FilterFields({ filter, search, onChange }: FilterFormProps) {
  switch (filter.kind) {
    case 'text':
      return (
        <label className={css.text}>
          {filter.label}
          <input name={filter.name} defaultValue={search[filter.name] ?? ''} maxLength={128} />
          {filter.hint && <small>{filter.hint}</small>}
        </label>
      )
    case 'choice': {
      const chosen = new Set((search[filter.name] ?? '').split(','))
      return (
        <fieldset>
          <legend>{filter.label}</legend>
          {Object.entries(filter.options).map(([value, label]) => (
            <label key={value}>
              <input
                type={filter.many ? 'checkbox' : 'radio'}
                name={filter.name}
                value={value}
                defaultChecked={chosen.has(value)}
              />
              {label}
            </label>
          ))}
        </fieldset>
      )
    }
    case 'time':
      return (
        <fieldset>
          <legend>{filter.label}</legend>
          <div className={css.spans}>
            {(['day', 'week', 'month'] as const).map((span) => (
              <Button
                key={span}
                size="small"
                onClick={() => onChange({ from: sinceOf(span), to: undefined })}
              >
                {words.spans[span]}
              </Button>
            ))}
          </div>
          <label className={css.text}>
            {words.from}
            <input type="date" name="from" defaultValue={dayOf(search.from, 0)} />
          </label>
          <label className={css.text}>
            {words.to}
            <input type="date" name="to" defaultValue={dayOf(search.to, -1)} />
          </label>
          <small>{words.utc}</small>
        </fieldset>
      )
  }
}

const DAYS = { day: 1, week: 7, month: 30 } as const

/** To the minute, so that the same choice twice is one address and one cached answer. */
const sinceOf = (span: keyof typeof DAYS): string => {
  const at = new Date(Date.now() - DAYS[span] * 86_400_000)
  at.setSeconds(0, 0)
  return at.toISOString()
}

function dayOf(at: string | undefined, days: number): string {
  if (!at || Number.isNaN(Date.parse(at))) return ''
  const date = new Date(at)
  date.setDate(date.getDate() + days)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
