import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
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

interface LongFieldProps
  extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className' | 'id'> {
  readonly label: string
  readonly hint?: string
  readonly problem?: string | undefined
}

/** A labelled text of many lines. */
export function LongField({ label, hint, problem, ...field }: LongFieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <textarea
        rows={8}
        {...field}
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
