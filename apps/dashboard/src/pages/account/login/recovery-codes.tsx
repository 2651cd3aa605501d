import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button } from '../../../kit/button.tsx'
import { Confirm } from '../../../kit/confirm.tsx'
import { SecretDialog } from '../../../kit/secret.tsx'
import { Bone } from '../../../kit/waiting.tsx'
import { recoveryCodesQuery } from '../../../queries/account.ts'
import { texts } from '../../../texts/texts.ts'

const { login: words } = texts

interface RecoveryCodesProps {
  readonly codes: readonly string[]
  readonly onClose: () => void
}

/** How many are left, and a new set in their place. */
export function RecoveryCodesLeft() {
  const { data } = useQuery(recoveryCodesQuery)
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (data === undefined) return <Bone />
  return (
    <>
      <p>{words.recoveryLeft(data.left)}</p>
      <div>
        <Button onClick={() => setAsking(true)}>{words.recoveryRenew}</Button>
      </div>
      {isAsking && (
        <Confirm
          {...{ title: words.recoveryRenew, act: words.recoveryRenew, done: words.recoveryRenewed }}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            setCodes((await call('renewRecoveryCodes', {})).recoveryCodes)
            await queries.invalidateQueries(recoveryCodesQuery)
          }}
        >
          <p>{words.recoveryRenewText}</p>
        </Confirm>
      )}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
    </>
  )
}

/** Shown once, with the first factor or with a new set. */
export const RecoveryCodes = ({ codes, onClose }: RecoveryCodesProps) => (
  <SecretDialog
    {...{ title: words.recoveryTitle, label: words.recoveryTitle, onClose }}
    value={codes.join('\n')}
  >
    <p>{words.recoveryText}</p>
  </SecretDialog>
)
