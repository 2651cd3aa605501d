import { type ReactNode, useState } from 'react'
import { texts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import { Command } from './command.tsx'
import { CopyButton } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import css from './kit.module.css'
import { Notice } from './notice.tsx'

const words = texts.kit.secret

interface SecretProps {
  readonly value: string
  readonly label: string
  readonly onCopied?: () => void
}

/** A secret with a button that copies it. Where the browser refuses, it is selected for the keyboard. */
export const Secret = ({ value, label, onCopied }: SecretProps) => (
  <div className={css.secret}>
    <span className="visually-hidden">{label}</span>
    <code onCopy={onCopied}>{value}</code>
    <CopyButton {...{ value, what: label, ...(onCopied && { onCopied }) }} />
  </div>
)

interface SecretDialogProps extends Pick<SecretProps, 'value' | 'label'> {
  readonly title: string
  readonly children: ReactNode
  /** A command that has the secret in it, and what it is for: to copy it is to copy the secret. */
  readonly command?: { readonly text: string; readonly value: string }
  readonly onClose: () => void
}

/** Shows a secret once: every way out asks while it was not copied. */
export function SecretDialog({
  title,
  value,
  label,
  children,
  command,
  onClose,
}: SecretDialogProps) {
  const [isCopied, setCopied] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const leave = isCopied ? onClose : () => setLeaving(true)
  const onCopied = (): void => {
    setCopied(true)
    setLeaving(false)
  }
  return (
    <Dialog title={title} onClose={leave}>
      {children}
      <Secret {...{ value, label, onCopied }} />
      {command && (
        <>
          <p>{command.text}</p>
          <Command {...{ value: command.value, what: texts.kit.command, onCopied }} />
        </>
      )}
      {isLeaving && (
        <Notice tone="warn">
          <p>{words.notCopied}</p>
        </Notice>
      )}
      <div className={css.acts}>
        {isLeaving ? (
          <>
            <Button onClick={() => setLeaving(false)}>{words.back}</Button>
            <Button look="danger" onClick={onClose}>
              {words.leave}
            </Button>
          </>
        ) : (
          <Button onClick={leave}>{texts.actions.close}</Button>
        )}
      </div>
    </Dialog>
  )
}
