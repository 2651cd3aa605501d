// What the page says in a line once something is done that nothing else on it shows.
import { useSyncExternalStore } from 'react'
import css from './said.module.css'

const SHOWN_MS = 8000

let said: string | null = null
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

const change = (text: string | null): void => {
  said = text
  for (const listener of listeners) listener()
}

/** Shown for some seconds, and read out. */
export function say(text: string): void {
  clearTimeout(timer)
  timer = setTimeout(() => change(null), SHOWN_MS)
  change(text)
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Stands in the frame of every page, so that a screen reader knows it before it says anything. */
export const Said = () => (
  <p role="status" className={css.said}>
    {useSyncExternalStore(subscribe, () => said)}
  </p>
)
