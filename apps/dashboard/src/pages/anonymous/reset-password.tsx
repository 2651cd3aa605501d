import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { NewPassword } from '../../kit/new-password.tsx'
import { Notice } from '../../kit/notice.tsx'
import { texts } from '../../texts/texts.ts'
import { MailLinkPage, useMailToken } from './mail-link.tsx'

const { anonymous, actions } = texts

export function ResetPasswordPage() {
  const token = useMailToken()
  const [isDone, setDone] = useState(false)
  const reset = async (values: FormData): Promise<void> => {
    await call('resetPassword', { body: { token, password: String(values.get('password')) } })
    setDone(true)
  }
  return (
    <MailLinkPage
      {...{ token, title: anonymous.resetTitle }}
      incomplete={[
        anonymous.incompleteNext.reset,
        <Link key="again" to="/forgot-password">
          {anonymous.forgotTitle}
        </Link>,
      ]}
      links={isDone && <Link to="/login">{actions.logIn}</Link>}
    >
      {isDone ? (
        <Notice tone="good">{anonymous.resetDone}</Notice>
      ) : (
        <Form submit={anonymous.resetAction} onSubmit={reset}>
          {(problems) => <NewPassword problem={problems.password} />}
        </Form>
      )}
    </MailLinkPage>
  )
}
