import { createContext, useContext, useEffect, useState } from 'react'
import { locale, once } from '../texts/texts.ts'
import css from './time.module.css'

const minutes = once(
  () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
)
const exact = once(
  () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
)

/** Within a row that takes the focus itself: its times are no further stops of the Tab key. */
export const InRow = createContext(false)

interface StampProps {
  readonly at: string
  readonly text: string
  readonly className?: string | undefined
}

const Stamp = ({ at, text, className }: StampProps) => (
  <time dateTime={at} tabIndex={useContext(InRow) ? undefined : 0} className={className}>
    {text}
  </time>
)

/** In the reader's zone; UTC on hover and focus. */
export const Time = ({ at, seconds }: { readonly at: string; readonly seconds?: boolean }) => (
  <Stamp at={at} text={(seconds ? exact : minutes)().format(new Date(at))} />
)

const relative = once(
  () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }),
)
const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** A distance from now in milliseconds, negative when it is past: `4 sec. ago`. */
export function formatDistance(ms: number): string {
  const [unit, size] = STEPS.find(([, each]) => Math.abs(ms) >= each) ?? STEPS[3]
  return relative().format(Math.round(ms / size), unit)
}

/** How long ago, or in how long; UTC on hover and focus. */
export const Ago = ({ at }: { readonly at: string }) => (
  <Stamp at={at} text={formatDistance(Date.parse(at) - Date.now())} className={css.ago} />
)

interface Hint {
  readonly utc: string
  readonly left: number
  readonly top: number
}

/**
 * Once in the frame: UTC of the time that is pointed at, or that has the focus. Not of a row that has it: the
 * hint would cover the next one. Escape takes it away (WCAG 2.2, 1.4.13).
 */
export function UtcHint() {
  const [hint, setHint] = useState<Hint | null>(null)
  useEffect(() => {
    /** Not shown again after Escape, until another one is pointed at. */
    let shown: Element | null = null
    const show = (time: HTMLTimeElement | null): void => {
      if (time === shown) return
      shown = time
      setHint(time && hintOf(time))
    }
    const onMove = ({ clientX, clientY }: MouseEvent): void => {
      const under = document.elementsFromPoint(clientX, clientY)
      const [top = null] = under
      if (top?.closest('[role=tooltip]')) return
      const time = under.find((each) => each instanceof HTMLTimeElement)
      // The link of a row covers its times; what else covers a time hides it.
      const isSeen = time && (time.closest('tr') ?? time).contains(top)
      show(isSeen ? time : null)
    }
    const onFocus = ({ target }: FocusEvent): void =>
      show(target instanceof HTMLTimeElement ? target : null)
    const hide = (): void => setHint(null)
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') hide()
    }
    document.addEventListener('mousemove', onMove)
    document.addEventListener('focusin', onFocus)
    document.addEventListener('keydown', onKey)
    window.addEventListener('scroll', hide, { passive: true })
    return () => {
      document.removeEventListener('mousemove', onMove)
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('keydown', onKey)
      window.removeEventListener('scroll', hide)
    }
  }, [])
  if (hint === null) return null
  const { utc, left, top } = hint
  return (
    <div role="tooltip" className={css.hint} style={{ left, top }}>
      {utc}
    </div>
  )
}

const HINT_PX = 190

function hintOf(time: HTMLTimeElement): Hint {
  const { left, bottom } = time.getBoundingClientRect()
  const utc = new Date(time.dateTime).toISOString().replace('T', ' ').replace('Z', ' UTC')
  return { utc, left: Math.max(0, Math.min(left, window.innerWidth - HINT_PX)), top: bottom }
}
