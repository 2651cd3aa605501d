// Answers a challenge: the code of an app, of a mail, or a recovery code.
import type { DashboardSession } from '@tradepost/contract'
import { useState } from 'react'
import { type ChallengeFacts, call } from '../api/call.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Form, textOf } from '../kit/form.tsx'
import { texts } from '../texts/en.ts'

interface CodeFormProps {
  readonly challenge: ChallengeFacts
  readonly onAnswered: (session: DashboardSession) => void
  readonly onCancel?: () => void
}

export function CodeForm({ challenge, onAnswered, onCancel }: CodeFormProps) {
  const [method, setMethod] = useState(challenge.methods[0] ?? 'totp')
  const other = challenge.methods.find((each) => each !== method)
  const { visitor, actions } = texts
  return (
    <>
      <p>{visitor.codeOf[method]}</p>
      <Form
        key={method}
        submit={actions.confirm}
        onCancel={onCancel}
        onSubmit={async (values) => {
          const body = { challengeId: challenge.challengeId, method, code: textOf(values, 'code') }
          onAnswered(await call('giveSecondFactor', { body }))
        }}
      >
        {(problems) => (
          <Field
            label={visitor.code}
            name="code"
            problem={problems.code}
            autoComplete="one-time-code"
            inputMode={method === 'recovery' ? 'text' : 'numeric'}
            autoFocus
            required
          />
        )}
      </Form>
      {other && (
        <p>
          <Button look="quiet" onClick={() => setMethod(other)}>
            {other === 'recovery' ? visitor.useRecovery : visitor.useOther}
          </Button>
        </p>
      )}
    </>
  )
}
