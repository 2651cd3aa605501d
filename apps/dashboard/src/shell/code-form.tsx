// Answers a challenge: with a passkey, the code of an app or of a mail, or a recovery code.
import type { DashboardSession } from '@tradepost/contract'
import { useState } from 'react'
import { type ChallengeFacts, call } from '../api/call.ts'
import { answerWithPasskey } from '../api/passkey.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { digitsOf, Form, textOf } from '../kit/form.tsx'
import { Notice } from '../kit/notice.tsx'
import { SandboxMail } from '../kit/sandbox-mail.tsx'
import { texts } from '../texts/texts.ts'

interface CodeFormProps {
  readonly challenge: ChallengeFacts
  readonly onAnswered: (session: DashboardSession) => void
  readonly onCancel?: () => void
}

export function CodeForm({ challenge, onAnswered, onCancel }: CodeFormProps) {
  const { challengeId, methods } = challenge
  const [method, setMethod] = useState(methods[0] ?? 'totp')
  const { visitor, actions } = texts
  return (
    <>
      <p>{visitor.codeOf[method]}</p>
      <Form
        key={method}
        submit={method === 'passkey' ? visitor.confirmPasskey : actions.confirm}
        done={null}
        onCancel={onCancel}
        onSubmit={async (values) => {
          if (method === 'passkey') return onAnswered(await answerWithPasskey(challengeId))
          const code = method === 'recovery' ? textOf(values, 'code') : digitsOf(values)
          onAnswered(await call('giveSecondFactor', { body: { challengeId, method, code } }))
        }}
      >
        {(problems) =>
          method !== 'passkey' && (
            <Field
              label={visitor.code}
              name="code"
              problem={problems.code}
              autoComplete="one-time-code"
              inputMode={method === 'recovery' ? 'text' : 'numeric'}
              autoFocus
              required
            />
          )
        }
      </Form>
      {method === 'email' && (
        <>
          <SandboxMail />
          <AnotherCode challengeId={challengeId} />
        </>
      )}
      {methods
        .filter((other) => other !== method)
        .map((other) =>
          // The code of the first way was mailed with the question; of another one when it is chosen.
          other === 'email' && methods[0] !== 'email' ? (
            <Form
              key={other}
              submit={visitor.useInstead.email}
              look="plain"
              done={null}
              onSubmit={async () => {
                await call('sendFactorCode', { body: { challengeId } })
                setMethod('email')
              }}
            >
              {() => null}
            </Form>
          ) : (
            <p key={other}>
              <Button look="quiet" onClick={() => setMethod(other)}>
                {visitor.useInstead[other]}
              </Button>
            </p>
          ),
        )}
    </>
  )
}

function AnotherCode({ challengeId }: { readonly challengeId: string }) {
  const [isSent, setSent] = useState(false)
  const { visitor } = texts
  if (isSent) return <Notice tone="good">{visitor.codeSent}</Notice>
  return (
    <Form
      submit={visitor.sendCode}
      look="plain"
      done={null}
      onSubmit={async () => {
        await call('sendFactorCode', { body: { challengeId } })
        setSent(true)
      }}
    >
      {() => null}
    </Form>
  )
}
