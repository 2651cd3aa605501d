import { texts } from '../texts/texts.ts'
import { Field } from './field.tsx'

interface EmailFieldProps {
  readonly problem: string | undefined
  readonly hint?: string
}

/** The email that a person logs in with, as managers of passwords know it. */
export const EmailField = (props: EmailFieldProps) => (
  <Field
    {...{ label: texts.anonymous.email, name: 'email', type: 'email', autoComplete: 'username' }}
    {...props}
    required
  />
)
