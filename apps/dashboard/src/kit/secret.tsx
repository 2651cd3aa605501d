import { useState } from 'react'
import { texts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import css from './kit.module.css'

/** A secret that is shown once, with a button that copies it. */
export function Secret({ value, label }: { readonly value: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
  }
  return (
    <div className={css.secret}>
      <span className="visually-hidden">{label}</span>
      <code>{value}</code>
      <Button onClick={() => void copy()}>
        {isCopied ? texts.actions.copied : texts.actions.copy}
      </Button>
    </div>
  )
}
