import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { enterSession } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { MailLinkPage, useMailToken } from './mail-link.tsx'

const { anonymous, actions } = texts

export function VerifyEmailPage() {
  const token = useMailToken()
  const queries = useQueryClient()
  const router = useRouter()
  const [isDone, setDone] = useState(false)
  const [isVoid, setVoid] = useState(false)
  const logIn = <Link to="/login">{actions.logIn}</Link>
  const verify = async (): Promise<void> => {
    try {
      const { loggedIn } = await call('verifyEmail', { body: { token } })
      setDone(true)
      // In the browser that registered. A session that was there before may be another person's.
      if (!loggedIn) return
      await enterSession(queries)
      await router.navigate({ to: '/' })
    } catch (error) {
      if (!(error instanceof ApiError) || error.key !== 'TOKEN_INVALID') throw error
      setVoid(true)
    }
  }
  return (
    <MailLinkPage
      {...{ token, title: anonymous.verifyTitle }}
      incomplete={[anonymous.incompleteNext.verify, logIn]}
      links={logIn}
    >
      {isDone ? (
        <Notice tone="good">{anonymous.verified}</Notice>
      ) : isVoid ? (
        <Notice tone="warn">{anonymous.verifyVoid}</Notice>
      ) : (
        <Form submit={anonymous.verifyAction} onSubmit={verify}>
          {() => <p>{anonymous.verifyText}</p>}
        </Form>
      )}
    </MailLinkPage>
  )
}
