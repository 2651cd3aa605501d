import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useParams } from '@tanstack/react-router'
import type { AdminQueueRows, AdminQueues } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { Folded } from '../../kit/folded.tsx'
import { formatMoney } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Text } from '../../kit/text.tsx'
import { Ago, Time } from '../../kit/time.tsx'
import { useWaiting } from '../../kit/use-waiting.ts'
import { queueQuery, queuesQuery, suppliersQuery } from '../../queries/admin.ts'
import { linkOfHit } from '../../shell/hit-links.ts'
import { admin as words } from '../../texts/admin.ts'
import { formatCount } from '../../texts/texts.ts'

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
  const waiting = state?.queues.filter(({ count }) => count > 0)
  const empty = state?.queues.filter(({ count }) => count === 0) ?? []
  return (
    <Page title={words.queues}>
      {error && <Failure error={error} />}
      {(state || !error) && <QueueTable queues={isWaiting ? undefined : waiting} at={state?.at} />}
      {state && !isWaiting && (
        <>
          {empty.length > 0 && (
            <Folded summary={words.emptyQueues(empty.length)}>
              <QueueTable queues={empty} at={state.at} />
            </Folded>
          )}
          <Suppliers />
          <Jobs state={state} />
          <Leases state={state} />
        </>
      )}
    </Page>
  )
}

type Queue = AdminQueues['queues'][number]

const QueueTable = ({
  queues,
  at,
}: {
  readonly queues: readonly Queue[] | undefined
  readonly at: string | undefined
}) => (
  <Table
    caption={words.queues}
    empty={words.nothingWaits}
    rows={queues}
    keyOf={({ name }) => name}
    columns={[
      {
        head: words.queue,
        cell: ({ name }) => (
          <Link to="/admin/queues/$name" params={{ name }}>
            {labelOf(name)}
          </Link>
        ),
      },
      { head: words.waiting, align: 'end', cell: ({ count }) => formatCount(count) },
      { head: words.dueNow, align: 'end', cell: ({ due }) => formatCount(due) },
      {
        head: words.oldest,
        align: 'end',
        cell: ({ oldestAgeMs }) =>
          oldestAgeMs !== null &&
          at && <Ago at={new Date(Date.parse(at) - oldestAgeMs).toISOString()} />,
      },
    ]}
  />
)

/** A queue in words: those of trades are named by their market or their state. */
function labelOf(name: string): string {
  const [work = '', of = ''] = name.split(' ', 2)
  if (isQueueOf(work)) return words.queueOf[work](marketName(of))
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

const isQueueOf = (work: string): work is keyof typeof words.queueOf =>
  Object.hasOwn(words.queueOf, work)

/** What waits in one queue, the oldest first. */
export function QueuePage() {
  const { name } = useParams({ from: '/shell/admin/queues/$name' })
  const { data, error } = useQuery(queueQuery(name))
  return (
    <Page title={labelOf(name)} parent={[words.queues, { to: '/admin/queues' }]}>
      {error && <Failure error={error} />}
      {(data || !error) && (
        <Table
          caption={labelOf(name)}
          empty={words.queueEmpty}
          rows={data?.rows}
          keyOf={({ id }) => id}
          columns={[
            { head: words.what, cell: (row) => <QueueRow row={row} /> },
            {
              head: words.subject,
              cell: ({ leadsTo, id }) => (
                <code>
                  <Text>{leadsTo ?? id}</Text>
                </code>
              ),
            },
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
  return (
    <Link {...(linkOfHit('admin', hit) as LinkProps)}>
      <Text>{what}</Text>
    </Link>
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
            { head: words.market, cell: ({ market }) => marketName(market) },
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
          ]}
        />
      )}
      {suppliers && (
        <Table
          caption={words.calls}
          empty={words.noCalls}
          rows={suppliers.flatMap(({ market, calls }) =>
            calls.map((call) => ({ market, ...call })),
          )}
          keyOf={({ market, operation, outcome }) => `${market} ${operation} ${outcome}`}
          columns={[
            { head: words.market, cell: ({ market }) => marketName(market) },
            { head: words.operation, cell: ({ operation }) => operation },
            { head: words.outcome, cell: ({ outcome }) => outcome },
            { head: words.callCount, align: 'end', cell: ({ count }) => count },
            { head: words.median, align: 'end', cell: ({ medianMs }) => words.ms(medianMs) },
          ]}
        />
      )}
    </Section>
  )
}

interface StateProps {
  readonly state: AdminQueues
}

type Job = AdminQueues['jobs'][number]

const needsALook = ({ status }: Job): boolean => status === 'failing' || status === 'silent'

/** Those that fail or are silent are shown; the others are many, and calm. */
function Jobs({ state: { jobs } }: StateProps) {
  const good = jobs.filter((job) => !needsALook(job))
  const others = jobs.filter(needsALook)
  return (
    <Section title={words.jobs}>
      {(others.length > 0 || good.length === 0) && <JobTable jobs={others} />}
      {good.length > 0 && (
        <Folded summary={words.goodJobs(good.length)}>
          <JobTable jobs={good} />
        </Folded>
      )}
    </Section>
  )
}

const JobTable = ({ jobs }: { readonly jobs: readonly Job[] }) => (
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
      { head: words.lastSuccess, cell: (job) => <LastSuccess {...job} /> },
      { head: words.error, cell: ({ error }) => error },
    ]}
  />
)

/** A run without an end, such as that of a market's feed, has had no success to show: only its beginning. */
function LastSuccess({ status, startedAt, succeededAt }: Job) {
  if (succeededAt) return <Ago at={succeededAt} />
  if (status === 'standby') return null
  if (status !== 'running') return words.never
  return (
    <>
      {words.runsSince} <Ago at={startedAt} />
    </>
  )
}

const Leases = ({ state: { leases } }: StateProps) => (
  <Section title={words.leases}>
    {leases.length === 0 ? (
      <p>{words.nothingHeld}</p>
    ) : (
      <Folded summary={words.heldLeases(leases.length)}>
        <LeaseTable leases={leases} />
      </Folded>
    )}
  </Section>
)

const LeaseTable = ({ leases }: Pick<AdminQueues, 'leases'>) => (
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
)
