import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { sessionQuery } from '../../queries/session.ts'
import { AnonymousPage } from '../../shell/anonymous.tsx'
import { firstPageOf } from '../../shell/navigation.ts'
import { texts } from '../../texts/texts.ts'
import { IncompleteLink } from './incomplete-link.tsx'
import { mailToken } from './mail-token.ts'

const { anonymous, actions } = texts

/** A button and not the page spends the token: mail scanners load pages. */
export function VerifyEmailPage() {
  const [token] = useState(mailToken)
  const queries = useQueryClient()
  const router = useRouter()
  const [isDone, setDone] = useState(false)
  const [isVoid, setVoid] = useState(false)
  if (token === '') {
    return (
      <IncompleteLink
        {...{ title: anonymous.verifyTitle, text: anonymous.incompleteNext.verify }}
        links={<Link to="/login">{actions.logIn}</Link>}
      />
    )
  }
  const verify = async (): Promise<void> => {
    try {
      const { loggedIn } = await call('verifyEmail', { body: { token } })
      setDone(true)
      // In the browser that registered. A session that was there before may be another person's.
      if (!loggedIn) return
      const session = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 })
      if (session !== null) await router.navigate({ to: firstPageOf(session.user.accountKind) })
    } catch (error) {
      if (!(error instanceof ApiError) || error.key !== 'TOKEN_INVALID') throw error
      setVoid(true)
    }
  }
  return (
    <AnonymousPage title={anonymous.verifyTitle} links={<Link to="/login">{actions.logIn}</Link>}>
      {isDone ? (
        <Notice tone="good">{anonymous.verified}</Notice>
      ) : isVoid ? (
        <Notice tone="warn">{anonymous.verifyVoid}</Notice>
      ) : (
        <Form submit={anonymous.verifyAction} onSubmit={verify}>
          {() => <p>{anonymous.verifyText}</p>}
        </Form>
      )}
    </AnonymousPage>
  )
}
