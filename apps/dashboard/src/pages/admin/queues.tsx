import { useQuery } from '@tanstack/react-query'
import type { AdminQueues } from '@tradepost/contract'
import { formatMoney } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Ago, Time } from '../../kit/time.tsx'
import { useWaiting } from '../../kit/use-waiting.ts'
import { Waiting } from '../../kit/waiting.tsx'
import { queuesQuery, suppliersQuery } from '../../queries/admin.ts'
import { texts } from '../../texts/en.ts'

const { admin: words } = texts
const TONES = { ok: 'good', failing: 'bad', silent: 'warn' } as const

/** What waits and for how long, who works on it, and our accounts at the markets. */
export function QueuesPage() {
  const { data: state, error } = useQuery(queuesQuery)
  const isWaiting = useWaiting(queuesQuery, suppliersQuery)
  return (
    <Page title={words.queues}>
      {error && <Failure error={error} />}
      {isWaiting && <Waiting rows={12} />}
      {state && !isWaiting && (
        <>
          <Table
            caption={words.queues}
            empty=""
            rows={state.queues}
            keyOf={({ name }) => name}
            columns={[
              { head: words.queue, cell: ({ name }) => name },
              { head: words.waiting, align: 'end', cell: ({ count }) => count },
              { head: words.dueNow, align: 'end', cell: ({ due }) => due },
              {
                head: words.oldest,
                align: 'end',
                cell: ({ oldestAgeMs }) =>
                  oldestAgeMs !== null && (
                    <Ago at={new Date(Date.parse(state.at) - oldestAgeMs).toISOString()} />
                  ),
              },
            ]}
          />
          <Suppliers />
          <Jobs state={state} />
          <Leases state={state} />
        </>
      )}
    </Page>
  )
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
