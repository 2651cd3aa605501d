import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { texts } from '../../texts/texts.ts'
import { MailLinkPage, useMailToken } from './mail-link.tsx'

const { anonymous, actions } = texts

export function KeepFactorPage() {
  const token = useMailToken()
  const [isDone, setDone] = useState(false)
  const logIn = <Link to="/login">{actions.logIn}</Link>
  return (
    <MailLinkPage
      {...{ token, title: anonymous.keepTitle }}
      incomplete={[anonymous.incompleteNext.keepFactor, logIn]}
      links={
        isDone && (
          <>
            <Link to="/forgot-password">{anonymous.forgotTitle}</Link>
            {logIn}
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
    </MailLinkPage>
  )
}
