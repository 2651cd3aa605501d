import { useState } from 'react'
import { ApiError, call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Form } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { SandboxMail } from '../../kit/sandbox-mail.tsx'
import { Time } from '../../kit/time.tsx'
import { texts } from '../../texts/texts.ts'

const { anonymous } = texts

/** For a person whose password was right and whose second factor and recovery codes are gone. */
export function LostFactor({ challengeId }: { readonly challengeId: string }) {
  const [isAsking, setAsking] = useState(false)
  const [removesAt, setRemovesAt] = useState<string | null>(null)
  if (removesAt !== null) {
    return (
      <>
        <Notice tone="good">
          {anonymous.lostDone} <Time at={removesAt} />
        </Notice>
        <SandboxMail />
      </>
    )
  }
  if (!isAsking) {
    return (
      <p>
        <Button look="quiet" onClick={() => setAsking(true)}>
          {anonymous.lostFactor}
        </Button>
      </p>
    )
  }
  const ask = async (): Promise<void> => {
    try {
      setRemovesAt((await call('askForFactorRemoval', { body: { challengeId } })).removesAt)
    } catch (error) {
      const isAdministrator = error instanceof ApiError && error.key === 'FORBIDDEN'
      throw isAdministrator ? new ApiError('FACTOR_OF_ADMINISTRATOR', {}, error.requestId) : error
    }
  }
  return (
    <Form
      submit={anonymous.lostAction}
      look="danger"
      onCancel={() => setAsking(false)}
      onSubmit={ask}
    >
      {() => <p>{anonymous.lostText}</p>}
    </Form>
  )
}
