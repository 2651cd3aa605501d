import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { callFor } from '../../api/for-child.ts'
import { CopyId } from '../../kit/copy.tsx'
import { Form } from '../../kit/form.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { deliveryQuery } from '../../queries/account.ts'
import { texts } from '../../texts/en.ts'
import { DELIVERY_TONES } from '../tones.ts'
import css from './delivery.module.css'

const { webhook: words } = texts

export function DeliveryPage() {
  const { id } = useParams({ from: '/shell/webhook/deliveries/$id' })
  return <Delivery id={id} />
}

export function DeliveryOfChildPage() {
  const { id, delivery } = useParams({ from: '/shell/children/$id/deliveries/$delivery' })
  return <Delivery id={delivery} childId={id} />
}

function Delivery({ id, childId }: { readonly id: string; readonly childId?: string }) {
  const { data: delivery, error } = useQuery(deliveryQuery(id, childId))
  const queries = useQueryClient()
  const resend = async (): Promise<void> => {
    await callFor(childId, 'resendDelivery', { params: { id } })
    await Promise.all([
      queries.invalidateQueries({
        queryKey: [childId === undefined ? 'listDeliveries' : 'listDeliveriesOfChild'],
      }),
      queries.invalidateQueries(deliveryQuery(id, childId)),
    ])
  }
  return (
    <Page title={words.deliveryTitle}>
      {error && <Failure error={error} />}
      {delivery && (
        <>
          <p>
            <code>{delivery.type}</code>{' '}
            <Badge tone={DELIVERY_TONES[delivery.status]}>{words.states[delivery.status]}</Badge>{' '}
            <Time at={delivery.createdAt} />{' '}
            <CopyId value={delivery.id} what={words.deliveryTitle} />
          </p>
          {delivery.nextAttemptAt && (
            <p>
              {words.nextAttempt}: <Time at={delivery.nextAttemptAt} />
            </p>
          )}
          <Form submit={words.resend} onSubmit={resend}>
            {() => null}
          </Form>
          <Section title={words.attempts}>
            {delivery.history.toReversed().map((attempt) => (
              <details key={attempt.startedAt} className={css.attempt}>
                <summary>
                  <Time at={attempt.startedAt} /> ·{' '}
                  {attempt.status ?? attempt.error ?? words.noAnswer} ·{' '}
                  {words.took(attempt.durationMs)}
                </summary>
                <h3>{words.sent}</h3>
                <pre>{JSON.stringify(attempt.requestHeaders, null, 2)}</pre>
                <pre>{attempt.requestBody}</pre>
                <h3>{words.answered}</h3>
                <pre>{attempt.responseBody ?? attempt.error ?? words.noAnswer}</pre>
              </details>
            ))}
          </Section>
        </>
      )}
    </Page>
  )
}
