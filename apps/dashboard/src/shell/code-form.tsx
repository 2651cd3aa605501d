// Answers a challenge: with a passkey, the code of an app or of a mail, or a recovery code.
import { useState } from 'react'
import { type ChallengeDetails, call } from '../api/call.ts'
import { answerWithPasskey } from '../api/passkey.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { digitsOf, Form, textOf } from '../kit/form.tsx'
import { Notice } from '../kit/notice.tsx'
import { SandboxMail } from '../kit/sandbox-mail.tsx'
import { texts } from '../texts/texts.ts'

interface CodeFormProps {
  readonly challenge: ChallengeDetails
  readonly onAnswered: () => void | Promise<void>
  readonly onCancel?: () => void
}

export function CodeForm({ challenge, onAnswered, onCancel }: CodeFormProps) {
  const { challengeId, methods } = challenge
  const [method, setMethod] = useState(methods[0] ?? 'totp')
  const { anonymous, actions } = texts
  return (
    <>
      <p>{anonymous.codeOf[method]}</p>
      <Form
        key={method}
        submit={method === 'passkey' ? anonymous.confirmPasskey : actions.confirm}
        done={null}
        onCancel={onCancel}
        onSubmit={async (values) => {
          if (method === 'passkey') await answerWithPasskey(challengeId)
          else {
            const code = method === 'recovery' ? textOf(values, 'code') : digitsOf(values)
            await call('giveSecondFactor', { body: { challengeId, method, code } })
          }
          await onAnswered()
        }}
      >
        {(problems) =>
          method !== 'passkey' && (
            <Field
              label={anonymous.code}
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
              submit={anonymous.useInstead.email}
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
                {anonymous.useInstead[other]}
              </Button>
            </p>
          ),
        )}
    </>
  )
}

function AnotherCode({ challengeId }: { readonly challengeId: string }) {
  const [isSent, setSent] = useState(false)
  const { anonymous } = texts
  if (isSent) return <Notice tone="good">{anonymous.codeSent}</Notice>
  return (
    <Form
      submit={anonymous.sendCode}
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
