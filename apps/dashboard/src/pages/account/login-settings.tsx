import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Failure, Notice } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { QrCode } from '../../kit/qr.tsx'
import { Secret } from '../../kit/secret.tsx'
import { Table } from '../../kit/table.tsx'
import { Ago } from '../../kit/time.tsx'
import { sessionsQuery } from '../../queries/account.ts'
import { sessionQuery } from '../../queries/session.ts'
import { texts } from '../../texts/en.ts'

const { login: words, visitor, actions } = texts

export const LoginSettingsPage = () => (
  <Page title={words.title}>
    <Sessions />
    <Password />
    <SecondFactor />
  </Page>
)

function Sessions() {
  const { data: sessions, error } = useQuery(sessionsQuery)
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries(sessionsQuery)
  return (
    <Section title={words.sessions}>
      {error && <Failure error={error} />}
      {sessions && (
        <Table
          caption={words.sessions}
          empty=""
          rows={sessions}
          keyOf={({ id }) => id}
          columns={[
            { head: words.browser, cell: ({ userAgent }) => userAgent },
            { head: words.address, cell: ({ address }) => <code>{address}</code> },
            { head: words.lastSeen, cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
            {
              head: words.end,
              cell: ({ id, current }) =>
                current ? (
                  words.current
                ) : (
                  <Button
                    look="quiet"
                    onClick={() =>
                      void call('endSession', { params: { id } }).then(refresh, refresh)
                    }
                  >
                    {words.end}
                  </Button>
                ),
            },
          ]}
        />
      )}
      {sessions && sessions.length > 1 && (
        <Form
          submit={words.endOthers}
          onSubmit={async () => {
            await call('endOtherSessions', {})
            await refresh()
          }}
        >
          {() => null}
        </Form>
      )}
    </Section>
  )
}

function Password() {
  const [isChanged, setChanged] = useState(false)
  const change = async (values: FormData): Promise<void> => {
    const currentPassword = String(values.get('current'))
    const newPassword = String(values.get('new'))
    await call('changePassword', { body: { currentPassword, newPassword } })
    setChanged(true)
  }
  return (
    <Section title={words.password}>
      {isChanged && <Notice tone="good">{words.changed}</Notice>}
      <Form key={String(isChanged)} submit={words.changePassword} onSubmit={change}>
        {(problems) => (
          <>
            <Field
              {...{ label: words.currentPassword, name: 'current', type: 'password' }}
              autoComplete="current-password"
              problem={problems.currentPassword}
              required
            />
            <Field
              {...{ label: visitor.newPassword, name: 'new', type: 'password' }}
              {...{ hint: visitor.passwordHint, autoComplete: 'new-password' }}
              problem={problems.newPassword}
              required
            />
          </>
        )}
      </Form>
    </Section>
  )
}

function SecondFactor() {
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
        <Dialog
          title={words.recoveryTitle}
          onClose={() => {
            setRecoveryCodes(null)
            void queries.invalidateQueries(sessionQuery)
          }}
        >
          <p>{words.recoveryText}</p>
          <Secret value={recoveryCodes.join('\n')} label={words.recoveryTitle} />
          <div>
            <Button
              onClick={() => {
                setRecoveryCodes(null)
                void queries.invalidateQueries(sessionQuery)
              }}
            >
              {actions.close}
            </Button>
          </div>
        </Dialog>
      )}
    </Section>
  )
}
