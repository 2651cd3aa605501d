import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type LinkProps, useSearch } from '@tanstack/react-router'
import type { DashboardDelivery } from '@tradepost/contract'
import { useState } from 'react'
import { callFor } from '../../api/for-child.ts'
import { Button } from '../../kit/button.tsx'
import { type Tab, Tabs } from '../../kit/detail.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field, Select } from '../../kit/field.tsx'
import { Form, textOf } from '../../kit/form.tsx'
import { choice, text, time } from '../../kit/list/filters.ts'
import { List, type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { Badge, Notice } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Time } from '../../kit/time.tsx'
import { endpointsQuery } from '../../queries/account.ts'
import { useCapability } from '../../queries/session.ts'
import { WEBHOOK_PAGES } from '../../shell/navigation.ts'
import { isolated } from '../../texts/foreign.ts'
import { texts } from '../../texts/texts.ts'
import { DELIVERY_TONES } from '../tones.ts'
import { answerOf } from './delivery.tsx'
import { EndpointName } from './endpoint-name.tsx'
import { AddEndpoint, Endpoints } from './endpoints.tsx'

const { webhook: words, actions } = texts

const TABS: readonly Tab[] = WEBHOOK_PAGES.map(({ to, label }) => ({ label, link: { to } }))

export const WebhookPage = () => (
  <Page title={words.title} act={<AddEndpoint />}>
    <Tabs tabs={TABS} />
    <Endpoints />
  </Page>
)

const deliveriesOf = (childId?: string) =>
  childId === undefined ? 'listEveryDelivery' : 'listEveryDeliveryOfChild'

const linkOfDelivery = (id: string, childId?: string): Pick<LinkProps, 'to' | 'params'> =>
  childId === undefined
    ? { to: '/webhook/deliveries/$id', params: { id } }
    : { to: '/children/$id/deliveries/$delivery', params: { id: childId, delivery: id } }

const columnsOf = (childId?: string): readonly ListColumn<DashboardDelivery>[] => [
  {
    head: words.event,
    cell: ({ type, isTest }) => (
      <>
        {type} {isTest && <Badge tone="plain">{words.isTest}</Badge>}
      </>
    ),
  },
  {
    head: words.endpoint,
    width: 128,
    isMinor: true,
    isOffCards: true,
    cell: ({ endpointId }) => (
      <EndpointName id={endpointId} isShort {...(childId !== undefined && { childId })} />
    ),
  },
  {
    head: words.subject,
    width: 116,
    isMinor: true,
    isOffCards: true,
    cell: ({ subjectId, isTest }) => !isTest && <ShortId id={subjectId} />,
  },
  {
    head: words.state,
    width: 108,
    isInFirstLine: true,
    cell: ({ status }) => <Badge tone={DELIVERY_TONES[status]}>{words.states[status]}</Badge>,
  },
  {
    ...{ head: words.attempts, align: 'end', width: 84, isOffCards: true },
    cell: ({ attempts }) => attempts,
  },
  { head: words.answer, width: 146, cell: answerOf },
  { head: words.at, width: 164, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** Of all endpoints, with those that there are now to choose from. */
function useDeliveries(childId?: string) {
  const { data: endpoints = [] } = useQuery(endpointsQuery(childId))
  const byId = Object.fromEntries(endpoints.map(({ id, url }) => [id, isolated(url)]))
  return { ...DELIVERIES, filters: [choice('endpointId', words.endpoint, byId), ...FILTERS] }
}

const FILTERS = [
  choice('status', words.state, words.states, { many: true }),
  time(words.at),
  text('type', words.event, words.eventHint),
  text('subjectId', words.subject, words.subjectHint),
]

const DELIVERIES = {
  keyOf: ({ id }: DashboardDelivery) => id,
  empty: words.noDeliveries,
  isOfLines: true,
} as const

/** An hour ago, as an input of a date and time wants it: in the reader's zone, to the minute. */
function anHourAgo(): string {
  const at = new Date(Date.now() - 3_600_000)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** After an endpoint was broken for longer than retries last: of the own account, or of a child. */
function Recover({ childId }: { readonly childId?: string }) {
  const [isOpen, setOpen] = useState(false)
  const [resent, setResent] = useState<{ readonly count: number; readonly url: string } | null>(
    null,
  )
  const { endpointId } = useSearch({ strict: false }) as { readonly endpointId?: string }
  const queries = useQueryClient()
  const { data: endpoints } = useQuery(endpointsQuery(childId))
  const mayWrite = useCapability('webhook.write')
  const close = (): void => {
    setOpen(false)
    setResent(null)
  }
  // There from the start, so that it moves nothing below it when the endpoints are known.
  if (!mayWrite || endpoints?.length === 0) return null
  // The one whose deliveries are shown, else one that fails.
  const meant =
    endpoints?.find(({ id }) => id === endpointId) ??
    endpoints?.find(({ failingSince }) => failingSince !== null)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.recover}</Button>
      {isOpen && (
        <Dialog title={words.recover} onClose={close}>
          {resent === null ? (
            <Form
              submit={words.recover}
              done={null}
              onCancel={close}
              onSubmit={async (values) => {
                const since = new Date(textOf(values, 'since')).toISOString()
                const id = textOf(values, 'endpoint')
                const { count } = await callFor(childId, 'recoverEndpoint', {
                  ...{ params: { id }, body: { since } },
                })
                setResent({ count, url: endpoints?.find((one) => one.id === id)?.url ?? id })
                await queries.invalidateQueries({ queryKey: [deliveriesOf(childId)] })
              }}
            >
              {(problems) => (
                <>
                  <p>{words.recoverText}</p>
                  <Select
                    {...{ label: words.endpoint, name: 'endpoint' }}
                    {...(meant && { defaultValue: meant.id })}
                  >
                    {endpoints?.map(({ id, url }) => (
                      <option key={id} value={id}>
                        {isolated(url)}
                      </option>
                    ))}
                  </Select>
                  <Field
                    {...{ label: words.recoverSince, name: 'since', type: 'datetime-local' }}
                    {...{ defaultValue: anHourAgo(), problem: problems.since }}
                    required
                  />
                </>
              )}
            </Form>
          ) : (
            <>
              <Notice tone={resent.count === 0 ? 'info' : 'good'}>
                {words.recovered(resent.count, resent.url)}
              </Notice>
              <div>
                <Button onClick={close}>{actions.close}</Button>
              </div>
            </>
          )}
        </Dialog>
      )}
    </>
  )
}

export const DeliveriesPage = () => (
  <ListPage
    {...useDeliveries()}
    columns={columnsOf()}
    {...{ title: words.title, caption: words.deliveries }}
    lead={<Tabs tabs={TABS} />}
    act={() => <Recover />}
    route="listEveryDelivery"
    open={({ id }) => linkOfDelivery(id)}
  />
)

/** On the page of a child, for its partner. */
export const DeliveriesOfChild = ({ childId }: { readonly childId: string }) => (
  <>
    <div>
      <Recover childId={childId} />
    </div>
    <List
      {...useDeliveries(childId)}
      columns={columnsOf(childId)}
      caption={words.deliveries}
      route="listEveryDeliveryOfChild"
      params={{ childId }}
      open={({ id }) => linkOfDelivery(id, childId)}
    />
  </>
)
