import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Field } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { Failure, Notice } from '../../kit/notice.tsx'
import { Acts, Section } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { webhookQuery } from '../../queries/account.ts'
import { useApprovalEndpoint } from '../../queries/approval-endpoint.ts'
import { destinationsQuery, payoutCallbackQuery } from '../../queries/money.ts'
import { useCapability } from '../../queries/session.ts'
import { money } from '../../texts/money.ts'
import { texts } from '../../texts/texts.ts'
import { NewSecret, RotateSecret } from '../account/signing-secret.tsx'

const { payouts: words } = money
const { webhook, actions } = texts

type Open = { readonly kind: 'clear' | 'rotate' }

/** Where the merchant's server approves withdrawals. */
export function PayoutCallback() {
  const { data: callback, error } = useQuery(payoutCallbackQuery)
  const { data: endpoint } = useQuery(webhookQuery())
  const url = useApprovalEndpoint()
  const queries = useQueryClient()
  const mayWrite = useCapability('money.write')
  const mayTest = useCapability('webhook.write')
  const [open, setOpen] = useState<Open['kind'] | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  /** What the form does not show. */
  const asked = callback?.url != null && mayWrite ? null : url
  const refresh = async (): Promise<void> => {
    await queries.invalidateQueries(payoutCallbackQuery)
    await queries.invalidateQueries(destinationsQuery)
  }
  return (
    <Section title={words.callback}>
      <p>{words.callbackText}</p>
      {error && <Failure error={error} />}
      {callback && (
        <>
          {callback.url === null ? (
            <p>
              {words.callbackNone} <Link to="/webhook">{words.toEndpoint}</Link>
            </p>
          ) : (
            <p>{words.callbackAt}</p>
          )}
          {asked !== null && (
            <p>
              <code>{asked}</code>
            </p>
          )}
          {callback.awaitsConfirmation && <Notice tone="bad">{words.awaitsConfirmation}</Notice>}
          {!mayWrite && <p>{words.callbackRoles}</p>}
          {callback.signedBy && <p>{words.signedBy[callback.signedBy]}</p>}
          {callback.signedBy === 'callback' && callback.previousSecretUntil && (
            <p>
              {words.previousSecret} <Time at={callback.previousSecretUntil} />
            </p>
          )}
        </>
      )}
      {callback && mayWrite && (
        <>
          <Form
            key={callback.url ?? ''}
            submit={actions.save}
            done={actions.saved}
            onSubmit={async (values) => {
              const body = { url: textOf(values, 'url') }
              setSecret((await call('setPayoutCallback', { body })).secret)
              await refresh()
            }}
          >
            {(problems) => (
              <Field
                {...{ label: words.callbackUrl, name: 'url', type: 'url' }}
                hint={
                  endpoint && (endpoint.allowsPrivate ? webhook.urlHintPrivate : webhook.urlHint)
                }
                {...{ defaultValue: callback.url ?? '', problem: problems.url }}
                required
              />
            )}
          </Form>
          <Acts>
            {callback.signedBy === 'callback' && (
              <Button onClick={() => setOpen('rotate')}>{words.callbackRotate}</Button>
            )}
            {callback.url !== null && (
              <Button onClick={() => setOpen('clear')}>{words.callbackClear}</Button>
            )}
          </Acts>
        </>
      )}
      {callback && callback.signedBy !== null && mayTest && <Test />}
      {open === 'clear' && (
        <Confirm
          {...{ title: words.callbackClear, act: words.callbackClear, look: 'danger' }}
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await call('clearPayoutCallback', {})
            await refresh()
          }}
        >
          <p>{words.callbackClearText}</p>
        </Confirm>
      )}
      {open === 'rotate' && (
        <RotateSecret
          onClose={() => setOpen(null)}
          onRotate={async (overlapHours) => {
            const body = { overlapHours }
            setSecret((await call('rotatePayoutCallbackSecret', { body })).secret)
            await refresh()
          }}
        />
      )}
      {secret !== null && <NewSecret secret={secret} onClose={() => setSecret(null)} />}
    </Section>
  )
}

function Test() {
  const [tested, setTested] = useState<{ readonly good: boolean; readonly text: string } | null>(
    null,
  )
  const test = async (): Promise<void> => {
    const { delivered, status, error } = await call('testPayoutCallback', {})
    const text =
      delivered && status !== null ? webhook.testGood(status) : webhook.testBad(status, error)
    setTested({ good: delivered, text })
  }
  return (
    <Form submit={words.callbackTest} look="plain" onSubmit={test}>
      {() => tested && <Notice tone={tested.good ? 'good' : 'bad'}>{tested.text}</Notice>}
    </Form>
  )
}
