import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { NewPassword } from '../../kit/new-password.tsx'
import { Notice } from '../../kit/notice.tsx'
import { VisitorPage } from '../../shell/visitor.tsx'
import { texts } from '../../texts/texts.ts'
import { SendAgain } from './send-again.tsx'

const { visitor, actions } = texts

export function RegisterPage() {
  const [mailedTo, setMailedTo] = useState<string | null>(null)
  if (mailedTo !== null) {
    return (
      <VisitorPage title={visitor.mailSentTitle}>
        <Notice tone="good">{visitor.mailSent(mailedTo)}</Notice>
        <SendAgain email={mailedTo} />
      </VisitorPage>
    )
  }
  const register = async (values: FormData): Promise<void> => {
    const email = textOf(values, 'email')
    const country = textOf(values, 'country').toUpperCase()
    const password = String(values.get('password'))
    await call('register', { body: { email, password, ...(country && { country }) } })
    setMailedTo(email)
  }
  return (
    <VisitorPage
      title={visitor.registerTitle}
      links={<Link to="/login">{visitor.registerOther}</Link>}
    >
      <Form submit={actions.register} onSubmit={register}>
        {(problems) => (
          <>
            <Field
              {...{ label: visitor.email, name: 'email', type: 'email', autoComplete: 'username' }}
              problem={problems.email}
              required
            />
            <NewPassword label={visitor.password} problem={problems.password} />
            <Field
              {...{ label: visitor.country, name: 'country', hint: visitor.countryHint }}
              {...{ autoComplete: 'country', maxLength: 2, problem: problems.country }}
            />
          </>
        )}
      </Form>
    </VisitorPage>
  )
}
