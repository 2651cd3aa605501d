import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Dialog } from '../../../kit/dialog.tsx'
import { Field } from '../../../kit/field.tsx'
import { Form, textOf } from '../../../kit/form.tsx'
import { Section } from '../../../kit/page.tsx'
import { QrCode } from '../../../kit/qr.tsx'
import { Secret } from '../../../kit/secret.tsx'
import { sessionQuery } from '../../../queries/session.ts'
import { texts } from '../../../texts/en.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

const { login: words, visitor, actions } = texts

export function SecondFactor() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const queries = useQueryClient()
  const [setup, setSetup] = useState<{ readonly secret: string; readonly uri: string } | null>(null)
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null)
  const isOn = session?.user.twoFactorMethod != null
  return (
    <Section title={words.factor}>
      <p>{isOn ? words.factorOn : words.factorOff}</p>
      {isOn ? (
        <Form
          submit={words.turnOff}
          look="danger"
          onSubmit={async () => {
            await call('disableTwoFactor', {})
            await queries.invalidateQueries(sessionQuery)
          }}
        >
          {() => null}
        </Form>
      ) : (
        <Form submit={words.setUp} onSubmit={async () => setSetup(await call('beginTotp', {}))}>
          {() => null}
        </Form>
      )}
      {setup && (
        <Dialog title={words.setUp} onClose={() => setSetup(null)}>
          <p>{words.scan}</p>
          <QrCode text={setup.uri} label={words.scan} />
          <p>{words.secret}</p>
          <Secret value={setup.secret} label={words.secret} />
          <Form
            submit={actions.confirm}
            onCancel={() => setSetup(null)}
            onSubmit={async (values) => {
              const answer = await call('enableTotp', { body: { code: textOf(values, 'code') } })
              setSetup(null)
              setRecoveryCodes(answer.recoveryCodes)
            }}
          >
            {(problems) => (
              <Field
                {...{ label: visitor.code, name: 'code', inputMode: 'numeric', maxLength: 6 }}
                autoComplete="one-time-code"
                problem={problems.code}
                required
              />
            )}
          </Form>
        </Dialog>
      )}
      {recoveryCodes && (
        <RecoveryCodes
          codes={recoveryCodes}
          onClose={() => {
            setRecoveryCodes(null)
            void queries.invalidateQueries(sessionQuery)
          }}
        />
      )}
    </Section>
  )
}
