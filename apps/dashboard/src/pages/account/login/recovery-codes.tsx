import { Button } from '../../../kit/button.tsx'
import { Dialog } from '../../../kit/dialog.tsx'
import { Secret } from '../../../kit/secret.tsx'
import { texts } from '../../../texts/en.ts'

const { login: words, actions } = texts

interface RecoveryCodesProps {
  readonly codes: readonly string[]
  readonly onClose: () => void
}

/** Shown once, with the first factor. */
export const RecoveryCodes = ({ codes, onClose }: RecoveryCodesProps) => (
  <Dialog title={words.recoveryTitle} onClose={onClose}>
    <p>{words.recoveryText}</p>
    <Secret value={codes.join('\n')} label={words.recoveryTitle} />
    <div>
      <Button onClick={onClose}>{actions.close}</Button>
    </div>
  </Dialog>
)
