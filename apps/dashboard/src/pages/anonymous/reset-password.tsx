import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { NewPassword } from '../../kit/new-password.tsx'
import { Notice } from '../../kit/notice.tsx'
import { AnonymousPage } from '../../shell/anonymous.tsx'
import { texts } from '../../texts/texts.ts'
import { IncompleteLink } from './incomplete-link.tsx'
import { mailToken } from './mail-token.ts'

const { anonymous, actions } = texts

export function ResetPasswordPage() {
  const [token] = useState(mailToken)
  const [isDone, setDone] = useState(false)
  if (token === '') {
    return (
      <IncompleteLink
        {...{ title: anonymous.resetTitle, text: anonymous.incompleteNext.reset }}
        links={<Link to="/forgot-password">{anonymous.forgotTitle}</Link>}
      />
    )
  }
  const reset = async (values: FormData): Promise<void> => {
    await call('resetPassword', { body: { token, password: String(values.get('password')) } })
    setDone(true)
  }
  return (
    <AnonymousPage
      title={anonymous.resetTitle}
      links={isDone && <Link to="/login">{actions.logIn}</Link>}
    >
      {isDone ? (
        <Notice tone="good">{anonymous.resetDone}</Notice>
      ) : (
        <Form submit={anonymous.resetAction} onSubmit={reset}>
          {(problems) => <NewPassword problem={problems.password} />}
        </Form>
      )}
    </AnonymousPage>
  )
}
