import { createContext, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import css from './kit.module.css'
import { asText } from './text.tsx'

/** Whether it is read within a dialog. */
export const InDialog = createContext(false)

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A modal dialog. The browser keeps the focus inside and gives it back to the opener. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the element is taken out of the page: afterwards the browser would leave the focus nowhere.
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      className={css.dialog}
      aria-labelledby={id}
      // The browser asks `onCancel` about the first Escape alone, and closes at the second one by itself.
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        event.preventDefault()
        onClose()
      }}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div>
        <h2 id={id}>{asText(title)}</h2>
        <InDialog value={true}>{children}</InDialog>
      </div>
    </dialog>
  )
}
