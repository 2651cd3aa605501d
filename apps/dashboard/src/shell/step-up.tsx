// The dialog that opens above any page when a sensitive act asks for a factor. The act waits for it.
import { useEffect, useState } from 'react'
import { type ChallengeDetails, onFactorNeeded } from '../api/call.ts'
import { Dialog } from '../kit/dialog.tsx'
import { texts } from '../texts/texts.ts'
import { CodeForm } from './code-form.tsx'

interface Waiting {
  readonly challenge: ChallengeDetails
  readonly resolve: (isAnswered: boolean) => void
}

export function StepUp() {
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  useEffect(
    () =>
      onFactorNeeded((challenge) => new Promise((resolve) => setWaiting({ challenge, resolve }))),
    [],
  )
  if (waiting === null) return null
  const end = (isAnswered: boolean): void => {
    setWaiting(null)
    waiting.resolve(isAnswered)
  }
  return (
    <Dialog title={texts.stepUp.title} onClose={() => end(false)}>
      <p>{texts.stepUp.text}</p>
      <CodeForm
        challenge={waiting.challenge}
        onAnswered={() => end(true)}
        onCancel={() => end(false)}
      />
    </Dialog>
  )
}
