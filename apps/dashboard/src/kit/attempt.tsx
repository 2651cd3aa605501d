import type { ReactNode } from 'react'
import css from './attempt.module.css'
import { Text } from './text.tsx'

interface AttemptProps {
  readonly summary: ReactNode
  readonly isOpen: boolean
  /** Each with a heading; shown as text, whatever it holds. */
  readonly parts: readonly (readonly [title: string, ...texts: string[]])[]
}

/** One request of ours and what came back, folded. */
export const Attempt = ({ summary, isOpen, parts }: AttemptProps) => (
  <details className={css.attempt} open={isOpen}>
    <summary>{summary}</summary>
    {parts.map(([title, ...texts]) => (
      <div key={title}>
        <h3>{title}</h3>
        {texts.map((text, i) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          // biome-ignore lint/suspicious/noArrayIndexKey: a text has no name of its own
          <pre key={i} tabIndex={0}>
            <Text>{text}</Text>
          </pre>
        ))}
      </div>
    ))}
  </details>
)
