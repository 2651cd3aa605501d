import type { ReactNode } from 'react'
import { Dialog } from '../../kit/dialog.tsx'
import { Field, LongField } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { admin as words } from '../../texts/admin.ts'

interface ReasonDialogProps {
  readonly title: string
  readonly act: string
  readonly look?: 'main' | 'danger'
  /** Said once it is done; null where `onSubmit` says what came of it. */
  readonly done?: string | null
  /** What is asked for, and in several lines. */
  readonly long?: string
  /** What changes. */
  readonly children: ReactNode
  /** Above the reason; receives the message that belongs to each field. */
  readonly fields?: (problems: Readonly<Record<string, string>>) => ReactNode
  readonly onClose: () => void
  /** Resolves when the act is done; the dialog then closes. */
  readonly onSubmit: (reason: string, values: FormData) => Promise<unknown>
}

/** Asks for the reason of an act, which the audit log keeps. */
export const ReasonDialog = ({
  title,
  act,
  children,
  fields,
  long,
  onClose,
  onSubmit,
  ...form
}: ReasonDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <Form
      {...{ submit: act, onCancel: onClose, ...form }}
      onSubmit={async (values) => {
        await onSubmit(textOf(values, 'reason'), values)
        onClose()
      }}
    >
      {(problems) => (
        <>
          <p>{children}</p>
          {fields?.(problems)}
          {long === undefined ? (
            <Field
              {...{ label: words.reason, name: 'reason', problem: problems.reason }}
              autoFocus={fields === undefined}
              required
            />
          ) : (
            <LongField
              {...{ label: long, name: 'reason', problem: problems.reason, rows: 4 }}
              autoFocus
              required
            />
          )}
        </>
      )}
    </Form>
  </Dialog>
)
