import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { SandboxMail } from '../../kit/sandbox-mail.tsx'
import { VisitorPage } from '../../shell/visitor.tsx'
import { texts } from '../../texts/texts.ts'

const { visitor, actions } = texts

export function ForgotPasswordPage() {
  const [mailedTo, setMailedTo] = useState<string | null>(null)
  const forget = async (values: FormData): Promise<void> => {
    const email = textOf(values, 'email')
    await call('forgetPassword', { body: { email } })
    setMailedTo(email)
  }
  return (
    <VisitorPage title={visitor.forgotTitle} links={<Link to="/login">{actions.logIn}</Link>}>
      {mailedTo === null ? (
        <Form submit={visitor.forgotAction} onSubmit={forget}>
          {(problems) => (
            <Field
              {...{ label: visitor.email, name: 'email', type: 'email', autoComplete: 'username' }}
              {...{ hint: visitor.forgotText, problem: problems.email }}
              required
            />
          )}
        </Form>
      ) : (
        <>
          <Notice tone="good">{visitor.mailSent(mailedTo)}</Notice>
          <SandboxMail />
        </>
      )}
    </VisitorPage>
  )
}
