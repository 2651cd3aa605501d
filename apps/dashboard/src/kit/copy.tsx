import { useState } from 'react'
import { texts } from '../texts/texts.ts'
import css from './copy.module.css'

/** An id in full, with a button that copies it. */
export function CopyId({ value, what }: { readonly value: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <span className={css.copy}>
      <code>{value}</code>
      <button
        type="button"
        aria-label={texts.kit.copy(what)}
        onClick={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}
      >
        {isCopied ? texts.actions.copied : texts.actions.copy}
      </button>
    </span>
  )
}
