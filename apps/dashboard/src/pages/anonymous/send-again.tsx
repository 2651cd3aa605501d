import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Form } from '../../kit/form.tsx'
import { Notice } from '../../kit/notice.tsx'
import { texts } from '../../texts/texts.ts'

const { anonymous } = texts

/** The link that confirms an address, once more. */
export function SendAgain({ email }: { readonly email: string }) {
  const [isSent, setSent] = useState(false)
  if (isSent) return <Notice tone="good">{anonymous.sentAgain}</Notice>
  return (
    <Form
      submit={anonymous.sendAgain}
      look="plain"
      onSubmit={async () => {
        await call('resendVerification', { body: { email } })
        setSent(true)
      }}
    >
      {() => null}
    </Form>
  )
}
