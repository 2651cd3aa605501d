import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Dialog } from '../../../kit/dialog.tsx'
import { Field } from '../../../kit/field.tsx'
import { digitsOf, Form } from '../../../kit/form.tsx'
import { Section } from '../../../kit/page.tsx'
import { QrCode } from '../../../kit/qr.tsx'
import { SandboxMail } from '../../../kit/sandbox-mail.tsx'
import { Secret } from '../../../kit/secret.tsx'
import { sessionQuery } from '../../../queries/session.ts'
import { texts } from '../../../texts/texts.ts'
import { RecoveryCodes, RecoveryCodesLeft } from './recovery-codes.tsx'

const { login: words, anonymous, actions } = texts

type Setup =
  | { readonly kind: 'app'; readonly secret: string; readonly uri: string }
  | { readonly kind: 'mail'; readonly challengeId: string }

/** Codes of an app, or by mail; a mailbox is not enough for an administrator. */
export function SecondFactor() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const queries = useQueryClient()
  const [setup, setSetup] = useState<Setup | null>(null)
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null)
  const method = session?.user.twoFactorMethod ?? null
  const hasPasskey = (session?.user.passkeys ?? 0) > 0
  const refresh = () => queries.invalidateQueries(sessionQuery)
  const setUpApp = async () => setSetup({ kind: 'app', ...(await call('beginTotp', {})) })
  const setUpMail = async () => setSetup({ kind: 'mail', ...(await call('beginMailFactor', {})) })
  const confirm = async (values: FormData): Promise<void> => {
    const code = digitsOf(values)
    const answer =
      setup?.kind === 'mail'
        ? await call('enableMailFactor', { body: { challengeId: setup.challengeId, code } })
        : await call('enableTotp', { body: { code } })
    setSetup(null)
    if (answer.recoveryCodes === null) await refresh()
    else setRecoveryCodes(answer.recoveryCodes)
  }
  return (
    <Section title={words.factor}>
      <p>
        {method !== null
          ? words.factorOn[method]
          : hasPasskey
            ? words.factorPasskey
            : words.factorOff}
      </p>
      {method !== 'totp' && <Act act={words.setUp} look="main" onAct={setUpApp} />}
      {method === null && session?.user.accountKind !== 'admin' && (
        <Act act={words.setUpMail} look="plain" onAct={setUpMail} />
      )}
      {method !== null && (
        <Act
          act={words.turnOff}
          look="danger"
          onAct={async () => {
            await call('disableTwoFactor', {})
            await refresh()
          }}
        />
      )}
      {(method !== null || hasPasskey) && <RecoveryCodesLeft />}
      {setup && (
        <Dialog
          title={setup.kind === 'app' ? words.setUp : words.setUpMail}
          onClose={() => setSetup(null)}
        >
          {setup.kind === 'app' ? (
            <AppSecret {...setup} />
          ) : (
            <>
              <p>{words.mailCode}</p>
              <SandboxMail />
            </>
          )}
          <Form submit={actions.confirm} onCancel={() => setSetup(null)} onSubmit={confirm}>
            {(problems) => (
              <Field
                {...{ label: anonymous.code, name: 'code', inputMode: 'numeric' }}
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
            void refresh()
          }}
        />
      )}
    </Section>
  )
}

interface ActProps {
  readonly act: string
  readonly look: 'main' | 'plain' | 'danger'
  readonly onAct: () => Promise<void>
}

const Act = ({ act, look, onAct }: ActProps) => (
  <Form submit={act} look={look} onSubmit={onAct}>
    {() => null}
  </Form>
)

const AppSecret = ({ secret, uri }: { readonly secret: string; readonly uri: string }) => (
  <>
    <p>{words.scan}</p>
    <QrCode text={uri} label={words.scan} />
    <p>{words.secret}</p>
    <Secret value={secret} label={words.secretLabel} />
  </>
)
