import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { DetailList } from '../../kit/detail.tsx'
import { choice } from '../../kit/list/filters.ts'
import { type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { Badge, Failure, Notice } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { Ago, Time } from '../../kit/time.tsx'
import { WaitingDetails } from '../../kit/waiting.tsx'
import { anyDeliveryQuery } from '../../queries/admin.ts'
import type { RowOf } from '../../queries/rows.ts'
import { admin as words } from '../../texts/admin.ts'
import { answerOf, DeliveryAttempts, SentEvent, Subject } from '../account/delivery.tsx'
import { DELIVERY_TONES } from '../tones.ts'
import { AccountLink } from './account-link.tsx'

export const DELIVERY_COLUMNS: readonly ListColumn<RowOf<'listAllDeliveries'>>[] = [
  { head: words.event, cell: ({ type }) => type },
  {
    head: words.account,
    isMinor: true,
    cell: ({ accountId, accountName }) => <AccountLink id={accountId} name={accountName} />,
  },
  {
    head: words.status,
    width: 120,
    cell: ({ status }) => (
      <Badge tone={DELIVERY_TONES[status]}>{words.deliveryStatuses[status]}</Badge>
    ),
  },
  { head: words.attempts, width: 90, align: 'end', cell: ({ attempts }) => attempts },
  {
    head: words.answer,
    isMinor: true,
    cell: answerOf,
  },
  { head: words.at, width: 130, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

/** Webhook deliveries of all accounts. */
export function AllDeliveriesPage() {
  const queries = useQueryClient()
  const [retried, setRetried] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const retry = async (): Promise<void> => {
    setError(null)
    try {
      setRetried((await call('retryParked', {})).retried)
      await queries.invalidateQueries({ queryKey: ['listAllDeliveries'] })
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <ListPage
      title={words.deliveries}
      route="listAllDeliveries"
      keyOf={({ id }) => id}
      filters={[choice('status', words.status, words.deliveryStatuses)]}
      open={({ id }) => ({ to: '/admin/deliveries/$id', params: { id } })}
      empty={words.noDeliveries}
      act={() => <Button onClick={() => void retry()}>{words.retryParked}</Button>}
      lead={
        <>
          {error !== null && <Failure error={error} />}
          {retried !== null && <Notice>{words.retried(retried)}</Notice>}
        </>
      }
      columns={DELIVERY_COLUMNS}
    />
  )
}

/** A delivery with what was sent and answered, as text. */
export function AnyDeliveryPage() {
  const { id } = useParams({ from: '/shell/admin/deliveries/$id' })
  const { data: delivery, error } = useQuery(anyDeliveryQuery(id))
  const queries = useQueryClient()
  const [answer, setAnswer] = useState<{ readonly status: number | null } | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const resend = async (): Promise<void> => {
    setFailure(null)
    try {
      setAnswer(await call('resendAnyDelivery', { params: { id } }))
      await queries.invalidateQueries({ queryKey: ['listAllDeliveries'] })
    } catch (thrown) {
      setFailure(thrown)
    }
  }
  const shown = error ?? failure
  return (
    <Page
      title={delivery?.type ?? words.delivery}
      act={delivery && <Button onClick={() => void resend()}>{words.resend}</Button>}
    >
      {shown !== null && <Failure error={shown} />}
      {delivery === undefined && !error && <WaitingDetails count={4} />}
      {answer && <Notice>{words.resent(answer.status)}</Notice>}
      {delivery && (
        <>
          <DetailList
            details={[
              [words.id, <code key="id">{delivery.id}</code>],
              [words.status, words.deliveryStatuses[delivery.status]],
              [words.attempts, String(delivery.attempts)],
              [words.at, <Time key="at" at={delivery.createdAt} seconds />],
              [words.subject, delivery.isTest ? null : <Subject key="subject" {...delivery} />],
              [words.event, <SentEvent key="event" {...delivery} />],
            ]}
          />
          <DeliveryAttempts history={delivery.history} />
        </>
      )}
    </Page>
  )
}
