import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { AnonymousPage } from '../../shell/anonymous.tsx'
import { texts } from '../../texts/texts.ts'
import { IncompleteLink } from './incomplete-link.tsx'
import { mailToken } from './mail-token.ts'

const { anonymous, email: words, nav } = texts

/** A button and not the page spends the token: mail scanners load pages. */
export function ChangeEmailPage() {
  const [token] = useState(mailToken)
  const [changedTo, setChangedTo] = useState<string | null>(null)
  if (token === '') {
    return (
      <IncompleteLink
        {...{ title: words.confirmTitle, text: anonymous.incompleteNext.changeEmail }}
        links={<Link to="/login-settings">{nav.login}</Link>}
      />
    )
  }
  return (
    <AnonymousPage
      title={words.confirmTitle}
      links={changedTo !== null && <Link to="/login-settings">{nav.login}</Link>}
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
    </AnonymousPage>
  )
}
