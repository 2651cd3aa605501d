import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useParams } from '@tanstack/react-router'
import type { AdminQueueRows, AdminQueues } from '@tradepost/contract'
import { formatMoney } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Ago, Time } from '../../kit/time.tsx'
import { useWaiting } from '../../kit/use-waiting.ts'
import { queueQuery, queuesQuery, suppliersQuery } from '../../queries/admin.ts'
import { linkOfHit } from '../../shell/hit-links.ts'
import { texts } from '../../texts/texts.ts'

const { admin: words } = texts
const TONES = {
  ok: 'good',
  running: 'good',
  standby: 'plain',
  failing: 'bad',
  silent: 'warn',
} as const

/** What waits and for how long, who works on it, and our accounts at the markets. */
export function QueuesPage() {
  const { data: state, error } = useQuery(queuesQuery)
  const isWaiting = useWaiting(queuesQuery, suppliersQuery)
  return (
    <Page title={words.queues}>
      {error && <Failure error={error} />}
      {(state || !error) && (
        <>
          <Table
            caption={words.queues}
            empty=""
            rows={isWaiting ? undefined : state?.queues}
            expected={16}
            keyOf={({ name }) => name}
            columns={[
              {
                head: words.queue,
                cell: ({ name }) => (
                  <Link to="/admin/queues/$name" params={{ name }}>
                    {name}
                  </Link>
                ),
              },
              { head: words.waiting, align: 'end', cell: ({ count }) => count },
              { head: words.dueNow, align: 'end', cell: ({ due }) => due },
              {
                head: words.oldest,
                align: 'end',
                cell: ({ oldestAgeMs }) =>
                  oldestAgeMs !== null &&
                  state && <Ago at={new Date(Date.parse(state.at) - oldestAgeMs).toISOString()} />,
              },
            ]}
          />
          {state && !isWaiting && (
            <>
              <Suppliers />
              <Jobs state={state} />
              <Leases state={state} />
            </>
          )}
        </>
      )}
    </Page>
  )
}

/** What waits in one queue, the oldest first. */
export function QueuePage() {
  const { name } = useParams({ from: '/shell/admin/queues/$name' })
  const { data, error } = useQuery(queueQuery(name))
  return (
    <Page title={name} parent={[words.queues, { to: '/admin/queues' }]}>
      {error && <Failure error={error} />}
      {(data || !error) && (
        <Table
          caption={name}
          empty={words.queueEmpty}
          rows={data?.rows}
          keyOf={({ id }) => id}
          columns={[
            { head: words.what, cell: (row) => <QueueRow row={row} /> },
            { head: words.subject, cell: ({ leadsTo, id }) => <code>{leadsTo ?? id}</code> },
            { head: words.waitsSince, cell: ({ since }) => <Ago at={since} /> },
            { head: words.due, cell: ({ dueAt }) => dueAt && <Time at={dueAt} seconds /> },
          ]}
        />
      )}
    </Page>
  )
}

function QueueRow({
  row: { kind, leadsTo, what },
}: {
  readonly row: AdminQueueRows['rows'][number]
}) {
  if (kind === null || leadsTo === null) return what
  const hit = { kind, id: leadsTo, accountId: leadsTo, subjectId: null, title: '', status: null }
  return <Link {...(linkOfHit('admin', hit) as LinkProps)}>{what}</Link>
}

function Suppliers() {
  const { data: suppliers, error } = useQuery(suppliersQuery)
  return (
    <Section title={words.suppliers}>
      {error && <Failure error={error} />}
      {suppliers && (
        <Table
          caption={words.suppliers}
          empty=""
          rows={suppliers}
          keyOf={({ market }) => market}
          columns={[
            { head: words.market, cell: ({ market }) => <code>{market}</code> },
            {
              head: words.status,
              cell: ({ enabled, online }) => (
                <Badge tone={enabled && online ? 'good' : 'warn'}>
                  {enabled ? words.on : words.off}
                </Badge>
              ),
            },
            { head: words.detail, cell: ({ detail }) => detail },
            {
              head: words.balance,
              align: 'end',
              cell: ({ balanceUsd }) => balanceUsd !== null && formatMoney(balanceUsd, 'USD'),
            },
            { head: words.waiting, align: 'end', cell: ({ waiting }) => waiting },
            { head: words.following, align: 'end', cell: ({ following }) => following },
            {
              head: words.pace,
              cell: ({ calls }) =>
                calls
                  .map(({ operation, outcome, count, medianMs }) =>
                    words.paceOf(operation, outcome, count, medianMs),
                  )
                  .join(' · '),
            },
          ]}
        />
      )}
    </Section>
  )
}

interface StateProps {
  readonly state: AdminQueues
}

const Jobs = ({ state: { jobs } }: StateProps) => (
  <Section title={words.jobs}>
    <Table
      caption={words.jobs}
      empty={words.noJobs}
      rows={jobs}
      keyOf={({ job, processId }) => `${job} ${processId}`}
      columns={[
        { head: words.job, cell: ({ job }) => job },
        { head: words.process, cell: ({ processId }) => <code>{processId}</code> },
        {
          head: words.status,
          cell: ({ status }) => <Badge tone={TONES[status]}>{words.jobStates[status]}</Badge>,
        },
        {
          head: words.lastSuccess,
          cell: ({ succeededAt }) => (succeededAt ? <Ago at={succeededAt} /> : words.never),
        },
        { head: words.error, cell: ({ error }) => error },
      ]}
    />
  </Section>
)

const Leases = ({ state: { leases } }: StateProps) => (
  <Section title={words.leases}>
    <Table
      caption={words.leases}
      empty={words.nothingHeld}
      rows={leases}
      keyOf={({ name }) => name}
      columns={[
        { head: words.name, cell: ({ name }) => name },
        { head: words.holder, cell: ({ holder }) => <code>{holder}</code> },
        { head: words.until, cell: ({ until }) => <Time at={until} seconds /> },
      ]}
    />
  </Section>
)
