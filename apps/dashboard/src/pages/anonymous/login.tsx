import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, type ChallengeDetails, call } from '../../api/call.ts'
import { answerWithPasskey } from '../../api/passkey.ts'
import { EmailField } from '../../kit/email-field.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { SandboxMail } from '../../kit/sandbox-mail.tsx'
import { enterSession } from '../../queries/session.ts'
import { AnonymousPage } from '../../shell/anonymous.tsx'
import { CodeForm } from '../../shell/code-form.tsx'
import { texts } from '../../texts/texts.ts'
import { LostFactor } from './lost-factor.tsx'
import { safeNext } from './next.ts'
import { SendAgain } from './send-again.tsx'

const { anonymous, actions } = texts

export function LoginPage() {
  const router = useRouter()
  const queries = useQueryClient()
  const [challenge, setChallenge] = useState<ChallengeDetails | null>(null)
  const [unconfirmed, setUnconfirmed] = useState<string | null>(null)
  const enter = async (): Promise<void> => {
    await enterSession(queries)
    const { next } = router.state.location.search as { next?: unknown }
    router.history.push(safeNext(next))
  }
  if (challenge !== null) {
    return (
      <AnonymousPage title={anonymous.codeTitle}>
        <CodeForm challenge={challenge} onAnswered={enter} onCancel={() => setChallenge(null)} />
        <LostFactor challengeId={challenge.challengeId} />
      </AnonymousPage>
    )
  }
  const logIn = async (values: FormData): Promise<void> => {
    const body = { email: textOf(values, 'email'), password: String(values.get('password')) }
    setUnconfirmed(null)
    try {
      await call('logIn', { body })
      await enter()
    } catch (error) {
      if (error instanceof ApiError && error.key === 'EMAIL_NOT_VERIFIED')
        setUnconfirmed(body.email)
      if (!(error instanceof ApiError) || error.key !== 'TWO_FACTOR_REQUIRED') throw error
      setChallenge(error.meta as unknown as ChallengeDetails)
    }
  }
  return (
    <AnonymousPage
      title={anonymous.loginTitle}
      links={
        <>
          <Link to="/forgot-password">{anonymous.forgotLink}</Link>
          <Link to="/register">{anonymous.loginOther}</Link>
        </>
      }
    >
      <Form submit={actions.logIn} onSubmit={logIn}>
        {(problems) => (
          <>
            <EmailField problem={problems.email} />
            <Field
              {...{ label: anonymous.password, name: 'password', type: 'password' }}
              autoComplete="current-password"
              problem={problems.password}
              required
            />
          </>
        )}
      </Form>
      {unconfirmed !== null && (
        <>
          <SandboxMail />
          <SendAgain email={unconfirmed} />
        </>
      )}
      <Form
        submit={anonymous.usePasskey}
        look="plain"
        onSubmit={async () => {
          await answerWithPasskey(null)
          await enter()
        }}
      >
        {() => null}
      </Form>
    </AnonymousPage>
  )
}
