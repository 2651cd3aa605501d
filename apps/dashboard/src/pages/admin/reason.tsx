import type { ReactNode } from 'react'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { admin as words } from '../../texts/admin.ts'

interface ReasonDialogProps {
  readonly title: string
  readonly act: string
  readonly look?: 'main' | 'danger'
  /** What changes. */
  readonly children: ReactNode
  readonly onClose: () => void
  /** Resolves when the act is done; the dialog then closes. */
  readonly onSubmit: (reason: string) => Promise<unknown>
}

/** Asks for the reason of an act, which the audit log keeps. */
export const ReasonDialog = ({
  title,
  act,
  look = 'main',
  children,
  onClose,
  onSubmit,
}: ReasonDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <Form
      {...{ submit: act, look, onCancel: onClose }}
      onSubmit={async (values) => {
        await onSubmit(textOf(values, 'reason'))
        onClose()
      }}
    >
      {(problems) => (
        <>
          <p>{children}</p>
          <Field label={words.reason} name="reason" problem={problems.reason} autoFocus required />
        </>
      )}
    </Form>
  </Dialog>
)
