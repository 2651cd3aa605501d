import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { AnonymousPage } from '../../shell/anonymous.tsx'
import { texts } from '../../texts/texts.ts'
import { IncompleteLink } from './incomplete-link.tsx'
import { mailToken } from './mail-token.ts'

const { anonymous, actions } = texts

/** A button and not the page spends the token: mail scanners load pages. */
export function KeepFactorPage() {
  const [token] = useState(mailToken)
  const [isDone, setDone] = useState(false)
  if (token === '') {
    return (
      <IncompleteLink
        {...{ title: anonymous.keepTitle, text: anonymous.incompleteNext.keepFactor }}
        links={<Link to="/login">{actions.logIn}</Link>}
      />
    )
  }
  return (
    <AnonymousPage
      title={anonymous.keepTitle}
      links={
        isDone && (
          <>
            <Link to="/forgot-password">{anonymous.forgotTitle}</Link>
            <Link to="/login">{actions.logIn}</Link>
          </>
        )
      }
    >
      {isDone ? (
        <Notice tone="good">{anonymous.keepDone}</Notice>
      ) : (
        <Form
          submit={anonymous.keepAction}
          onSubmit={async () => {
            await call('keepFactorByLink', { body: { token } })
            setDone(true)
          }}
        >
          {() => <p>{anonymous.keepText}</p>}
        </Form>
      )}
    </AnonymousPage>
  )
}
