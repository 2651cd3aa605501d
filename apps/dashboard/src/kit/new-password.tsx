import { texts } from '../texts/texts.ts'
import { Field } from './field.tsx'

const { anonymous } = texts

/** The service refuses shorter ones, and many longer ones. */
const MIN_LENGTH = 10

interface NewPasswordProps {
  readonly label?: string
  readonly name?: string
  readonly problem: string | undefined
}

/** A password that is chosen here: with what it has to be, and offered to password managers as a new one. */
export const NewPassword = ({
  label = anonymous.newPassword,
  name = 'password',
  problem,
}: NewPasswordProps) => (
  <Field
    {...{ label, name, problem, type: 'password' }}
    {...{ hint: anonymous.passwordHint, autoComplete: 'new-password' }}
    minLength={MIN_LENGTH}
    required
  />
)
