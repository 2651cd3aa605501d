import { type InputHTMLAttributes, type ReactNode, useId } from 'react'
import css from './kit.module.css'

/** Attributes of a field for an amount of money. */
export const AMOUNT = { inputMode: 'decimal', min: '0.01' } as const
/** And for a share of one. */
export const PERCENT = { inputMode: 'decimal', min: '0', max: '100' } as const

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'id'> {
  readonly label: string
  readonly hint?: string | undefined
  readonly problem?: string | undefined
}

/** A labelled input; its hint and its problem are read out with it. */
export function Field({ label, hint, problem, ...input }: FieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-invalid={problem !== undefined}
        aria-describedby={described || undefined}
      />
      {hint && (
        <span id={`${id}-hint`} className={css.hint}>
          {hint}
        </span>
      )}
      {problem && (
        <span id={`${id}-problem`} className={css.problem}>
          {problem}
        </span>
      )}
    </div>
  )
}

interface LongFieldProps {
  readonly label: string
  readonly name: string
  readonly hint?: string
  /** An example of the form, gone with the first letter: no place for what must be known. */
  readonly placeholder?: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A labelled text of many lines. */
export function LongField({ label, hint, onChange, ...field }: LongFieldProps) {
  const id = useId()
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <textarea
        {...field}
        id={id}
        rows={8}
        spellCheck={false}
        aria-describedby={hint && `${id}-hint`}
        onChange={({ target }) => onChange(target.value)}
      />
      {hint && (
        <span id={`${id}-hint`} className={css.hint}>
          {hint}
        </span>
      )}
    </div>
  )
}

interface SelectProps {
  readonly label: string
  readonly name: string
  readonly defaultValue?: string
  readonly autoComplete?: string
  readonly children: ReactNode
}

export function Select({ label, children, ...select }: SelectProps) {
  const id = useId()
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <select {...select} id={id}>
        {children}
      </select>
    </div>
  )
}
