import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useParams } from '@tanstack/react-router'
import type { AdminEvent } from '@tradepost/contract'
import { CopyId } from '../../kit/copy.tsx'
import { DetailList } from '../../kit/detail.tsx'
import { Json } from '../../kit/json.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetails } from '../../kit/waiting.tsx'
import { anyEventQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { readable } from '../../texts/readable.ts'
import { DELIVERY_TONES } from '../tones.ts'
import { AccountLink } from './account-link.tsx'

/** An event of any account: what it is about, what it carries, where it was sent. */
export function AnyEventPage() {
  const { id } = useParams({ from: '/shell/admin/events/$id' })
  const { data: event, error } = useQuery(anyEventQuery(id))
  return (
    <Page title={event?.type ?? words.event}>
      {error && <Failure error={error} />}
      {event === undefined && !error && <WaitingDetails count={5} />}
      {event && (
        <>
          <EventDetails {...event} />
          <Section title={words.deliveries}>
            <Deliveries {...event} />
          </Section>
          <Section title={words.payload}>
            <Json value={event.payload} label={words.payload} />
          </Section>
        </>
      )}
    </Page>
  )
}

const EventDetails = (event: AdminEvent) => (
  <DetailList
    details={[
      [words.id, <CopyId key="id" value={event.id} what={words.id} />],
      [words.account, <AccountLink key="account" id={event.accountId} name={event.accountName} />],
      [words.subject, <Subject key="subject" {...event} />],
      [words.at, <Time key="at" at={event.createdAt} seconds />],
      [
        words.dispatched,
        event.dispatchedAt === null ? (
          words.notDispatched
        ) : (
          <Time key="dispatched" at={event.dispatchedAt} seconds />
        ),
      ],
    ]}
  />
)

const PAGES: Readonly<Record<string, LinkProps['to']>> = {
  trade: '/admin/trades/$id',
  deposit: '/admin/deposits/$id',
  custody_deposit: '/admin/deposits/$id',
  withdrawal: '/admin/withdrawals/$id',
}

function Subject({ subjectType, subjectId }: AdminEvent) {
  const to = PAGES[subjectType]
  const name = `${readable(subjectType)} ${subjectId}`
  return to === undefined ? (
    name
  ) : (
    <Link {...({ to, params: { id: subjectId } } as LinkProps)}>{name}</Link>
  )
}

const Deliveries = ({ deliveries }: AdminEvent) => (
  <Table
    caption={words.deliveries}
    empty={words.noDeliveriesOf}
    rows={deliveries}
    keyOf={({ id }) => id}
    columns={[
      {
        head: words.delivery,
        cell: ({ id }) => (
          <Link to="/admin/deliveries/$id" params={{ id }}>
            <code>{id}</code>
          </Link>
        ),
      },
      {
        head: words.status,
        cell: ({ status }) => (
          <Badge tone={DELIVERY_TONES[status]}>{words.deliveryStatuses[status]}</Badge>
        ),
      },
      { head: words.attempts, align: 'end', cell: ({ attempts }) => attempts },
      { head: words.answer, cell: ({ lastStatus, lastError }) => lastError ?? lastStatus },
    ]}
  />
)
