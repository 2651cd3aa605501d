import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { NewPassword } from '../../kit/new-password.tsx'
import { Failure, Notice } from '../../kit/notice.tsx'
import { enterSession } from '../../queries/session.ts'
import { texts } from '../../texts/texts.ts'
import { MailLinkPage, useMailToken } from './mail-link.tsx'

const { anonymous, actions, team } = texts

/** Shows the invitation of a mail's link; a button accepts it. */
export function InvitationPage() {
  const token = useMailToken()
  const [isDone, setDone] = useState(false)
  const router = useRouter()
  const queries = useQueryClient()
  const { data: invitation, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => call('readInvitation', { body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
  const accept = async (values: FormData): Promise<void> => {
    const password = values.get('password')
    const body = { token, ...(typeof password === 'string' && { password }) }
    const { email } = await call('acceptInvitation', { body })
    setDone(true)
    if (typeof password !== 'string') return
    // Who has just chosen a password need not type it again. Where that fails, the page leads to the log-in.
    const session = await call('logIn', { body: { email, password } }).catch(() => null)
    if (session === null) return
    await enterSession(queries)
    await router.navigate({ to: '/' })
  }
  const logIn = <Link to="/login">{actions.logIn}</Link>
  return (
    <MailLinkPage
      {...{ token, title: anonymous.invitationTitle }}
      incomplete={[anonymous.incompleteNext.invitation, logIn]}
      links={(isDone || error) && logIn}
    >
      {error && <Failure error={error} />}
      {isDone && <Notice tone="good">{anonymous.invitationDone}</Notice>}
      {invitation && !isDone && (
        <>
          <p>
            {anonymous.invitationText(
              invitation.invitedBy,
              invitation.email,
              team.roles[invitation.role],
            )}
          </p>
          <p>{invitation.hasLogin ? anonymous.invitationKnown : anonymous.invitationNew}</p>
          <Form submit={anonymous.invitationAccept} onSubmit={accept}>
            {(problems) => !invitation.hasLogin && <NewPassword problem={problems.password} />}
          </Form>
        </>
      )}
    </MailLinkPage>
  )
}
