// A form that sends itself once at a time and shows what is wrong: what it finds itself, else what the service
// refused.
import { isEmail } from '@tradepost/contract/patterns'
import { type ReactNode, useContext, useRef, useState } from 'react'
import { ApiError } from '../api/call.ts'
import { texts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import { InDialog } from './dialog.tsx'
import { hundredthsOf } from './hundredths.ts'
import css from './kit.module.css'
import { formatMoney } from './money.tsx'
import { Failure } from './notice.tsx'
import { say } from './said.tsx'

const words = texts.kit.form

interface FormProps {
  readonly submit: string
  /** `quiet`: among the acts of a row. */
  readonly look?: 'main' | 'danger' | 'plain' | 'quiet'
  /**
   * Said once it is done, where nothing else on the page shows it. Within a dialog something always is, unless it
   * is null: the dialog goes on, or what came of it is shown or said there.
   */
  readonly done?: string | null | ((values: FormData) => string)
  readonly onSubmit: (values: FormData) => Promise<void>
  readonly onCancel?: (() => void) | undefined
  /** Other acts on the same thing, in one bar with the form's own. */
  readonly acts?: ReactNode
  /** The fields stand beside each other where there is room: for a search above what it finds. */
  readonly isInRow?: boolean
  /** Receives the message that belongs to each field, by the end of its pointer. */
  readonly children: (problems: Readonly<Record<string, string>>) => ReactNode
}

export function Form({
  submit,
  look = 'main',
  done,
  onSubmit,
  onCancel,
  acts,
  isInRow = false,
  children,
}: FormProps) {
  const isInDialog = useContext(InDialog)
  const said = done === undefined && isInDialog ? words.done : done
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  /** Fields that were changed since they were refused: what was wrong with them may be right now. */
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const summary = useRef<HTMLDivElement>(null)
  const send = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true)
    setError(null)
    setChanged(new Set())
    try {
      refuseFields(form)
      const values = new FormData(form)
      await onSubmit(values)
      if (said) say(typeof said === 'string' ? said : said(values))
    } catch (thrown) {
      setError(inWordsOf(form, thrown))
      requestAnimationFrame(() => summary.current?.focus())
    } finally {
      setBusy(false)
    }
  }
  const refused = Object.entries(problemsOf(error))
  const problems = refused.filter(([name]) => !changed.has(name))
  const isAllChanged = refused.length > 0 && problems.length === 0
  return (
    <form
      className={css.form}
      data-row={isInRow || undefined}
      noValidate
      onInput={({ target }) => {
        const { name } = target as HTMLInputElement
        if (problems.some(([problem]) => problem === name)) setChanged(new Set([...changed, name]))
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void send(event.currentTarget)
      }}
    >
      {children(Object.fromEntries(problems))}
      <div className={css.acts}>
        <Button
          type="submit"
          look={look}
          busy={isBusy}
          {...(look === 'quiet' && { size: 'small' })}
        >
          {submit}
        </Button>
        {onCancel && <Button onClick={onCancel}>{texts.actions.cancel}</Button>}
        {acts}
      </div>
      {/* Below everything, so that no field moves away from who is about to correct it. */}
      {error !== null && !isAllChanged && (
        <div ref={summary} className={css.refused} tabIndex={-1}>
          <Failure error={error} />
        </div>
      )}
    </form>
  )
}

/** Throws as the service would: a field without its value, an amount or address of wrong form. */
function refuseFields(form: HTMLFormElement): void {
  const errors = [...form.elements].flatMap((field) => {
    const message =
      field instanceof HTMLInputElement
        ? problemOf(field)
        : field instanceof HTMLTextAreaElement && field.validity.valueMissing
          ? words.missing
          : null
    if (message === null) return []
    const { name } = field as HTMLInputElement | HTMLTextAreaElement
    return [{ pointer: `/${name}`, message }]
  })
  if (errors.length > 0) throw new ApiError('VALIDATION_FAILED', { errors })
}

const DECIMAL = /^[-\u2212]?\d+(\.\d{1,2})?$/
const WHOLE = /^[-\u2212]?\d+$/

function problemOf(field: HTMLInputElement): string | null {
  const { type, value, validity, inputMode, minLength, min, max, pattern, title } = field
  const typed = value.trim()
  if (validity.valueMissing) return words.missing
  // HTML: the title of a field with a pattern says the form.
  if (pattern !== '' && typed !== '' && !new RegExp(`^(?:${pattern})$`, 'u').test(typed)) {
    return title
  }
  const isAmount = inputMode === 'decimal' && pattern === ''
  if (isAmount && typed !== '' && !DECIMAL.test(typed)) return words.decimal
  if (inputMode === 'numeric' && min !== '' && typed !== '' && !WHOLE.test(typed))
    return words.whole
  if ([...value].length < minLength) return words.least(minLength)
  const number = Number(typed.replace('\u2212', '-'))
  if (min !== '' && typed !== '' && number < Number(min)) return words.leastOf(min)
  if (max !== '' && number > Number(max)) return words.most(max)
  if (type === 'url' && typed !== '' && !isWebAddress(typed)) return words.url
  return type === 'email' && typed !== '' && !isEmail(typed) ? words.email : null
}

/** Which of them an endpoint may have, the service knows. */
const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

/** Of a value that has not the form of its field. */
const FORM_RULES = new Set(['pattern', 'format', 'network'])

/** A field that says the form of its value (`title`) says so where the service found that wrong. */
function inWordsOf(form: HTMLFormElement, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.key !== 'VALIDATION_FAILED') return error
  const { errors = [] } = error.meta as {
    errors?: { pointer: string; rule: string; message: string }[]
  }
  const own = errors.map((one) => {
    if (!FORM_RULES.has(one.rule)) return one
    const field = form.elements.namedItem(one.pointer.split('/')[1] ?? '')
    return field instanceof HTMLInputElement && field.title !== ''
      ? { ...one, message: field.title }
      : one
  })
  return new ApiError(error.key, { ...error.meta, errors: own }, error.requestId)
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

/** What was entered as an amount in `currency`, as a page shows it: `$200.00`. */
export const amountIn = (values: FormData, currency: string, name = 'amount'): string =>
  formatMoney(hundredthsOf(textOf(values, name)) / 100, currency)

/** The digits of the field `code`: apps show them in two groups, and so they are pasted. */
export const digitsOf = (values: FormData): string => textOf(values, 'code').replace(/[\s-]/g, '')
