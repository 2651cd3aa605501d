// A form that sends itself once at a time and shows what the service refused.
import { type ReactNode, useRef, useState } from 'react'
import { ApiError } from '../api/call.ts'
import { texts } from '../texts/en.ts'
import { Button } from './button.tsx'
import css from './kit.module.css'
import { Failure } from './notice.tsx'

interface FormProps {
  readonly submit: string
  readonly look?: 'main' | 'danger' | 'plain'
  readonly onSubmit: (values: FormData) => Promise<void>
  readonly onCancel?: (() => void) | undefined
  /** Receives the message that belongs to each field, by the end of its pointer. */
  readonly children: (problems: Readonly<Record<string, string>>) => ReactNode
}

export function Form({ submit, look = 'main', onSubmit, onCancel, children }: FormProps) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const summary = useRef<HTMLDivElement>(null)
  const send = async (values: FormData): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      await onSubmit(values)
    } catch (thrown) {
      setError(thrown)
      requestAnimationFrame(() => summary.current?.focus())
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void send(new FormData(event.currentTarget))
      }}
    >
      {error !== null && (
        <div ref={summary} tabIndex={-1}>
          <Failure error={error} />
        </div>
      )}
      {children(problemsOf(error))}
      <div className={css.acts}>
        <Button type="submit" look={look} busy={isBusy}>
          {submit}
        </Button>
        {onCancel && <Button onClick={onCancel}>{texts.actions.cancel}</Button>}
      </div>
    </form>
  )
}

function problemsOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError) || error.key !== 'VALIDATION_FAILED') return {}
  const { errors = [] } = error.meta as { errors?: { pointer: string; message: string }[] }
  return Object.fromEntries(
    errors.map(({ pointer, message }) => [pointer.split('/')[1] ?? '', message]),
  )
}

export const textOf = (values: FormData, name: string): string =>
  String(values.get(name) ?? '').trim()
