import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import type { DashboardSession } from '@tradepost/contract'
import { useState } from 'react'
import { ApiError, type ChallengeFacts, call } from '../../api/call.ts'
import { answerWithPasskey } from '../../api/passkey.ts'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { SandboxMail } from '../../kit/sandbox-mail.tsx'
import { keepSession } from '../../queries/session.ts'
import { CodeForm } from '../../shell/code-form.tsx'
import { VisitorPage } from '../../shell/visitor.tsx'
import { texts } from '../../texts/texts.ts'
import { LostFactor } from './lost-factor.tsx'
import { safeNext } from './next.ts'
import { SendAgain } from './send-again.tsx'

const { visitor, actions } = texts

export function LoginPage() {
  const router = useRouter()
  const queries = useQueryClient()
  const [challenge, setChallenge] = useState<ChallengeFacts | null>(null)
  const [unconfirmed, setUnconfirmed] = useState<string | null>(null)
  const enter = (session: DashboardSession): void => {
    keepSession(queries, session)
    const { next } = router.state.location.search as { next?: unknown }
    router.history.push(safeNext(next))
  }
  if (challenge !== null) {
    return (
      <VisitorPage title={visitor.codeTitle}>
        <CodeForm challenge={challenge} onAnswered={enter} onCancel={() => setChallenge(null)} />
        <LostFactor challengeId={challenge.challengeId} />
      </VisitorPage>
    )
  }
  const logIn = async (values: FormData): Promise<void> => {
    const body = { email: textOf(values, 'email'), password: String(values.get('password')) }
    setUnconfirmed(null)
    try {
      enter(await call('logIn', { body }))
    } catch (error) {
      if (error instanceof ApiError && error.key === 'EMAIL_NOT_VERIFIED')
        setUnconfirmed(body.email)
      if (!(error instanceof ApiError) || error.key !== 'TWO_FACTOR_REQUIRED') throw error
      setChallenge(error.meta as unknown as ChallengeFacts)
    }
  }
  return (
    <VisitorPage
      title={visitor.loginTitle}
      links={
        <>
          <Link to="/forgot-password">{visitor.forgotLink}</Link>
          <Link to="/register">{visitor.loginOther}</Link>
        </>
      }
    >
      <Form submit={actions.logIn} onSubmit={logIn}>
        {(problems) => (
          <>
            <Field
              {...{ label: visitor.email, name: 'email', type: 'email', autoComplete: 'username' }}
              problem={problems.email}
              required
            />
            <Field
              {...{ label: visitor.password, name: 'password', type: 'password' }}
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
        submit={visitor.usePasskey}
        look="plain"
        onSubmit={async () => enter(await answerWithPasskey(null))}
      >
        {() => null}
      </Form>
    </VisitorPage>
  )
}
