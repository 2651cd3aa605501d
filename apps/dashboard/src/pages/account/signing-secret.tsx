// The secret that signs what we send: rotated with an overlap, and shown once.
import { Dialog } from '../../kit/dialog.tsx'
import { Select } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { SecretDialog } from '../../kit/secret.tsx'
import { texts } from '../../texts/texts.ts'
import { exportOf } from '../commands.ts'
import { OVERLAPS } from './keys.tsx'

const { webhook: words, keys: keyWords } = texts

interface RotateSecretProps {
  readonly onRotate: (overlapHours: (typeof OVERLAPS)[number]) => Promise<void>
  readonly onClose: () => void
}

export const RotateSecret = ({ onRotate, onClose }: RotateSecretProps) => (
  <Dialog title={words.rotate} onClose={onClose}>
    <Form
      submit={words.rotate}
      done={words.said.rotated}
      onCancel={onClose}
      onSubmit={async (values) => {
        await onRotate(OVERLAPS.find((hours) => String(hours) === values.get('overlap')) ?? 24)
        onClose()
      }}
    >
      {() => (
        <Select label={words.rotateText} name="overlap" defaultValue="24">
          {OVERLAPS.map((hours) => (
            <option key={hours} value={hours}>
              {keyWords.overlap(hours)}
            </option>
          ))}
        </Select>
      )}
    </Form>
  </Dialog>
)

export const NewSecret = ({
  secret,
  isOfEvents = false,
  onClose,
}: {
  readonly secret: string
  /** Events are signed with it: the guides read it from a variable. */
  readonly isOfEvents?: boolean
  readonly onClose: () => void
}) => (
  <SecretDialog
    {...{ title: words.secretTitle, value: secret, label: words.secretTitle, onClose }}
    {...(isOfEvents && {
      command: { text: words.secretCommand, value: exportOf('TRADEPOST_WEBHOOK_SECRET', secret) },
    })}
  >
    <p>{words.secretText}</p>
  </SecretDialog>
)
