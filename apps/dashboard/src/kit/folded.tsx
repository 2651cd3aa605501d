import type { ReactNode } from 'react'
import css from './folded.module.css'

interface FoldedProps {
  /** What is in it, and how much. */
  readonly summary: string
  readonly children: ReactNode
}

/** What a reader seldom needs: a line until it is opened. */
export const Folded = ({ summary, children }: FoldedProps) => (
  <details className={css.folded}>
    <summary>{summary}</summary>
    {children}
  </details>
)
