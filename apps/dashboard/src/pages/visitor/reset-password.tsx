import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { NewPassword } from '../../kit/new-password.tsx'
import { Notice } from '../../kit/notice.tsx'
import { VisitorPage } from '../../shell/visitor.tsx'
import { texts } from '../../texts/texts.ts'
import { IncompleteLink } from './incomplete-link.tsx'
import { mailToken } from './mail-token.ts'

const { visitor, actions } = texts

export function ResetPasswordPage() {
  const [token] = useState(mailToken)
  const [isDone, setDone] = useState(false)
  if (token === '') {
    return (
      <IncompleteLink
        {...{ title: visitor.resetTitle, text: visitor.incompleteNext.reset }}
        links={<Link to="/forgot-password">{visitor.forgotTitle}</Link>}
      />
    )
  }
  const reset = async (values: FormData): Promise<void> => {
    await call('resetPassword', { body: { token, password: String(values.get('password')) } })
    setDone(true)
  }
  return (
    <VisitorPage
      title={visitor.resetTitle}
      links={isDone && <Link to="/login">{actions.logIn}</Link>}
    >
      {isDone ? (
        <Notice tone="good">{visitor.resetDone}</Notice>
      ) : (
        <Form submit={visitor.resetAction} onSubmit={reset}>
          {(problems) => <NewPassword problem={problems.password} />}
        </Form>
      )}
    </VisitorPage>
  )
}
