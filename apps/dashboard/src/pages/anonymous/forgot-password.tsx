import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { EmailField } from '../../kit/email-field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { MailSent } from '../../kit/sandbox-mail.tsx'
import { AnonymousPage } from '../../shell/anonymous.tsx'
import { texts } from '../../texts/texts.ts'

const { anonymous, actions } = texts

export function ForgotPasswordPage() {
  const [mailedTo, setMailedTo] = useState<string | null>(null)
  const forget = async (values: FormData): Promise<void> => {
    const email = textOf(values, 'email')
    await call('forgetPassword', { body: { email } })
    setMailedTo(email)
  }
  return (
    <AnonymousPage title={anonymous.forgotTitle} links={<Link to="/login">{actions.logIn}</Link>}>
      {mailedTo === null ? (
        <Form submit={anonymous.forgotAction} onSubmit={forget}>
          {(problems) => <EmailField hint={anonymous.forgotText} problem={problems.email} />}
        </Form>
      ) : (
        <MailSent>{anonymous.mailSent(mailedTo)}</MailSent>
      )}
    </AnonymousPage>
  )
}
