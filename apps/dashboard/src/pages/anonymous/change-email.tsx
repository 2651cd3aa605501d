import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { texts } from '../../texts/texts.ts'
import { MailLinkPage, useMailToken } from './mail-link.tsx'

const { anonymous, email: words, nav } = texts

export function ChangeEmailPage() {
  const token = useMailToken()
  const [changedTo, setChangedTo] = useState<string | null>(null)
  const settings = <Link to="/login-settings">{nav.login}</Link>
  return (
    <MailLinkPage
      {...{ token, title: words.confirmTitle }}
      incomplete={[anonymous.incompleteNext.changeEmail, settings]}
      links={changedTo !== null && settings}
    >
      {changedTo === null ? (
        <Form
          submit={anonymous.verifyAction}
          onSubmit={async () => {
            const { email } = await call('confirmEmail', { body: { token } })
            setChangedTo(email)
          }}
        >
          {() => <p>{words.confirmText}</p>}
        </Form>
      ) : (
        <Notice tone="good">{words.changed(changedTo)}</Notice>
      )}
    </MailLinkPage>
  )
}
