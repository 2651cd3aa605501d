import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Field } from '../../../kit/field.tsx'
import { Form, textOf } from '../../../kit/form.tsx'
import { Section } from '../../../kit/page.tsx'
import { MailSent } from '../../../kit/sandbox-mail.tsx'
import { sessionQuery } from '../../../queries/session.ts'
import { texts } from '../../../texts/texts.ts'
import css from './login.module.css'

const { email: words, anonymous } = texts

export function EmailAddress() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const [mailedTo, setMailedTo] = useState<string | null>(null)
  return (
    <Section title={words.title}>
      <p>{words.text(session?.user.email ?? '')}</p>
      {mailedTo && <MailSent>{anonymous.mailSent(mailedTo)}</MailSent>}
      <div className={css.narrow}>
        <Form
          key={mailedTo}
          submit={words.change}
          onSubmit={async (values) => {
            const email = textOf(values, 'email')
            await call('changeEmail', { body: { email } })
            setMailedTo(email)
          }}
        >
          {(problems) => (
            <Field
              {...{ label: words.newEmail, name: 'email', type: 'email', autoComplete: 'email' }}
              problem={problems.email}
              required
            />
          )}
        </Form>
      </div>
    </Section>
  )
}
