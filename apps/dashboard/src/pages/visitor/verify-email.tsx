import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { sessionQuery } from '../../queries/session.ts'
import { firstPageOf } from '../../shell/navigation.ts'
import { VisitorPage } from '../../shell/visitor.tsx'
import { texts } from '../../texts/texts.ts'
import { IncompleteLink } from './incomplete-link.tsx'
import { mailToken } from './mail-token.ts'

const { visitor, actions } = texts

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
        {...{ title: visitor.verifyTitle, text: visitor.incompleteNext.verify }}
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
    <VisitorPage title={visitor.verifyTitle} links={<Link to="/login">{actions.logIn}</Link>}>
      {isDone ? (
        <Notice tone="good">{visitor.verified}</Notice>
      ) : isVoid ? (
        <Notice tone="warn">{visitor.verifyVoid}</Notice>
      ) : (
        <Form submit={visitor.verifyAction} onSubmit={verify}>
          {() => <p>{visitor.verifyText}</p>}
        </Form>
      )}
    </VisitorPage>
  )
}
