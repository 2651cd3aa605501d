import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'

interface ConfirmProps {
  readonly title: string
  /** What changes, and for which account. */
  readonly children: ReactNode
  readonly act: string
  readonly look?: 'main' | 'danger'
  /** Said once it is done; null where it is not when the dialog closes. */
  readonly done?: string | null
  /** Resolves when the act is done; the dialog then closes. */
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before an act that cannot be undone, or that moves money. */
export const Confirm = ({ title, children, act, onConfirm, onClose, ...form }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <Form
      {...{ submit: act, onCancel: onClose, ...form }}
      onSubmit={async () => {
        await onConfirm()
        onClose()
      }}
    >
      {() => children}
    </Form>
  </Dialog>
)
