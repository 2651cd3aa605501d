import { useState } from 'react'
import { texts } from '../texts/texts.ts'
import css from './copy.module.css'
import { Text } from './text.tsx'

interface CopyIdProps {
  readonly value: string
  readonly what: string
  /** Where another site shows it. */
  readonly href?: string
}

/** An id in full, with a button that copies it. */
export const CopyId = ({ value, what, href }: CopyIdProps) => (
  <span className={css.copy}>
    {href === undefined ? (
      <code>
        <Text>{value}</Text>
      </code>
    ) : (
      <Elsewhere href={href}>{value}</Elsewhere>
    )}
    <CopyButton value={value} what={what} />
  </span>
)

export interface CopyButtonProps extends Pick<CopyIdProps, 'value' | 'what'> {
  /** What the button shows, where another one stands beside it: “Copy” and the beginning of `what`. */
  readonly label?: string
  readonly onCopied?: () => void
}

const SHOWN_MS = 2000

/**
 * Copies what is too long to be shown where the button stands. Where the browser refuses, as without TLS, what
 * stands before the button is selected for the keyboard.
 */
export function CopyButton({ value, what, label = texts.actions.copy, onCopied }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (button: HTMLElement): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
      onCopied?.()
      setTimeout(() => setCopied(false), SHOWN_MS)
    } catch {
      const shown = button.previousElementSibling
      if (shown) getSelection()?.selectAllChildren(shown)
    }
  }
  return (
    <button
      type="button"
      className={css.button}
      // Once it is copied its name is what it shows, which is read out.
      aria-label={isCopied ? undefined : texts.kit.copy(what)}
      aria-live="polite"
      onClick={({ currentTarget }) => void copy(currentTarget)}
    >
      {isCopied ? texts.actions.copied : label}
    </button>
  )
}

/** A link to another site, which learns nothing of this one. */
export const Elsewhere = ({
  href,
  children,
}: {
  readonly href: string
  readonly children: string
}) => (
  <a href={href} target="_blank" rel="noopener noreferrer">
    <code>
      <Text>{children}</Text>
    </code>
  </a>
)
