import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { VisitorPage } from '../../shell/visitor.tsx'
import { texts } from '../../texts/texts.ts'
import { IncompleteLink } from './incomplete-link.tsx'
import { mailToken } from './mail-token.ts'

const { visitor, actions } = texts

/** A button and not the page spends the token: mail scanners load pages. */
export function KeepFactorPage() {
  const [token] = useState(mailToken)
  const [isDone, setDone] = useState(false)
  if (token === '') {
    return (
      <IncompleteLink
        {...{ title: visitor.keepTitle, text: visitor.incompleteNext.keepFactor }}
        links={<Link to="/login">{actions.logIn}</Link>}
      />
    )
  }
  return (
    <VisitorPage
      title={visitor.keepTitle}
      links={
        isDone && (
          <>
            <Link to="/forgot-password">{visitor.forgotTitle}</Link>
            <Link to="/login">{actions.logIn}</Link>
          </>
        )
      }
    >
      {isDone ? (
        <Notice tone="good">{visitor.keepDone}</Notice>
      ) : (
        <Form
          submit={visitor.keepAction}
          onSubmit={async () => {
            await call('keepFactorByLink', { body: { token } })
            setDone(true)
          }}
        >
          {() => <p>{visitor.keepText}</p>}
        </Form>
      )}
    </VisitorPage>
  )
}
