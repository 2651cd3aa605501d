import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, type LinkProps, useParams } from '@tanstack/react-router'
import type { DashboardDelivery, DeliveryDetail } from '@tradepost/contract'
import { callFor } from '../../api/for-child.ts'
import { Attempt } from '../../kit/attempt.tsx'
import { CopyId } from '../../kit/copy.tsx'
import { DetailList } from '../../kit/detail.tsx'
import { Form } from '../../kit/form.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetails } from '../../kit/waiting.tsx'
import { deliveryQuery } from '../../queries/account.ts'
import { sessionQuery, useCapability } from '../../queries/session.ts'
import { linkOfSubjectId } from '../../shell/hit-links.ts'
import { readable } from '../../texts/readable.ts'
import { texts } from '../../texts/texts.ts'
import { DELIVERY_TONES } from '../tones.ts'
import { EndpointName } from './endpoint-name.tsx'

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
  const ofChild = childId === undefined ? {} : { childId }
  const queries = useQueryClient()
  const maySend = useCapability('webhook.write')
  const resend = async (): Promise<void> => {
    await callFor(childId, 'resendDelivery', { params: { id } })
    await Promise.all([
      queries.invalidateQueries({
        queryKey: [childId === undefined ? 'listEveryDelivery' : 'listEveryDeliveryOfChild'],
      }),
      queries.invalidateQueries(deliveryQuery(id, childId)),
    ])
  }
  return (
    <Page
      title={delivery?.type ?? words.deliveryTitle}
      parent={
        childId === undefined
          ? [words.deliveries, { to: '/webhook/deliveries' }]
          : [words.title, { to: '/children/$id/{-$tab}', params: { id: childId, tab: 'webhook' } }]
      }
    >
      {error && <Failure error={error} />}
      {delivery === undefined && !error && <WaitingDetails count={8} />}
      {delivery && (
        <>
          <DetailList
            details={[
              [
                words.state,
                <Badge key="state" tone={DELIVERY_TONES[delivery.status]}>
                  {words.states[delivery.status]}
                </Badge>,
              ],
              [words.at, <Time key="at" at={delivery.createdAt} seconds />],
              [
                words.nextAttempt,
                delivery.nextAttemptAt && <Time at={delivery.nextAttemptAt} seconds />,
              ],
              [words.subject, delivery.isTest ? null : <Subject key="subject" {...delivery} />],
              [
                words.endpoint,
                <EndpointName key="endpoint" id={delivery.endpointId} {...ofChild} />,
              ],
              [words.event, <SentEvent key="event" {...delivery} />],
              [
                words.deliveryTitle,
                <CopyId key="id" value={delivery.id} what={words.deliveryTitle} />,
              ],
            ]}
          />
          {maySend && (
            <Form submit={words.resend} look="plain" onSubmit={resend}>
              {() => null}
            </Form>
          )}
          <DeliveryAttempts history={delivery.history} />
        </>
      )}
    </Page>
  )
}

/** What the event is about, as a link where this kind of account has a page of it. */
export function Subject({ event, subjectId }: DeliveryDetail) {
  const { data: session } = useQuery(sessionQuery)
  const type = event?.subjectType ?? ''
  const link = session && linkOfSubjectId(session.user.accountKind, { type, id: subjectId })
  const name = (
    <>
      {readable(type)} <code>{subjectId}</code>
    </>
  )
  return link ? <Link {...(link as LinkProps)}>{name}</Link> : name
}

/** Partners have no page of events. */
const EVENT_PAGES = { merchant: '/events/$id', admin: '/admin/events/$id', partner: null } as const

/** The event that is sent. */
export function SentEvent({ type, event, isTest }: DeliveryDetail) {
  const { data: session } = useQuery(sessionQuery)
  const to = session ? EVENT_PAGES[session.user.accountKind] : null
  if (event === null || to === null) {
    return isTest ? <Badge tone="plain">{words.isTest}</Badge> : (event?.id ?? type)
  }
  return (
    <Link to={to} params={{ id: event.id }}>
      {type} <code>{event.id}</code>
    </Link>
  )
}

/** Of the last attempt; nothing before the first one. */
export const answerOf = ({
  lastStatus,
  lastError,
}: Pick<DashboardDelivery, 'lastStatus' | 'lastError'>): number | string | null =>
  lastStatus ?? (lastError === null ? null : words.noAnswer(lastError))

/** To be read: what is sent and signed has no white space. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** What was answered; in words where there is nothing to show. */
const bodyOf = ({ responseBody, error }: DeliveryDetail['history'][number]): string =>
  responseBody === '' ? words.emptyBody : (responseBody ?? words.noAnswer(error))

/** Each attempt with what was sent and answered, the latest first and open. */
export const DeliveryAttempts = ({ history }: Pick<DeliveryDetail, 'history'>) => (
  <Section title={words.attempts}>
    {history.length === 0 && <p>{words.noAttempts}</p>}
    {history.toReversed().map((attempt, i) => (
      <Attempt
        key={attempt.startedAt}
        isOpen={i === 0}
        summary={
          <>
            <Time at={attempt.startedAt} seconds /> ·{' '}
            {attempt.status ?? words.noAnswer(attempt.error)} · {words.took(attempt.durationMs)}
          </>
        }
        parts={[
          [
            words.sent,
            JSON.stringify(attempt.requestHeaders, null, 2),
            indented(attempt.requestBody),
          ],
          [words.answered, bodyOf(attempt)],
        ]}
      />
    ))}
  </Section>
)
