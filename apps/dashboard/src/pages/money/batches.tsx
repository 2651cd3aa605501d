// Batches of withdrawals: the list, and how far one has come.
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { OwnBatch, PayoutBatch, Withdrawal, WithdrawalStatus } from '@tradepost/contract'
import { Button } from '../../kit/button.tsx'
import { DetailList, Figures, Tabs } from '../../kit/detail.tsx'
import { text } from '../../kit/list/filters.ts'
import { ListPage } from '../../kit/list/list.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Text } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import { batchQuery } from '../../queries/money.ts'
import { useCapability } from '../../queries/session.ts'
import { money } from '../../texts/money.ts'
import { formatCount } from '../../texts/texts.ts'
import { WITHDRAWAL_TONES } from '../tones.ts'
import { failureText } from './failure-text.ts'
import { dollars, PAYOUT_TABS, WITHDRAWAL_COLUMNS } from './payouts.tsx'

const { batch: words, payouts } = money

const STATUSES = Object.keys(payouts.statuses) as WithdrawalStatus[]

/** In the order in which a withdrawal goes through them. */
const Statuses = ({ byStatus }: Pick<PayoutBatch, 'byStatus'>) =>
  STATUSES.map((status) => {
    const count = byStatus[status]
    return (
      count !== undefined && (
        <span key={status}>
          <Badge tone={WITHDRAWAL_TONES[status]}>
            {`${formatCount(count)} ${payouts.statuses[status]}`}
          </Badge>{' '}
        </span>
      )
    )
  })

function NewBatch() {
  const navigate = useNavigate()
  if (!useCapability('money.write')) return null
  return (
    <Button look="main" onClick={() => void navigate({ to: '/payouts/batch' })}>
      {words.act}
    </Button>
  )
}

export const BatchesPage = () => (
  <ListPage
    title={payouts.batches}
    lead={<Tabs tabs={PAYOUT_TABS} />}
    route="listOwnBatches"
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/payouts/batches/$id', params: { id } })}
    empty={words.none}
    act={() => <NewBatch />}
    filters={[text('externalId', payouts.externalId)]}
    columns={[
      { head: payouts.externalId, cell: ({ externalId }) => externalId },
      { head: words.count, align: 'end', width: 120, cell: ({ total }) => formatCount(total) },
      { head: payouts.status, cell: (batch) => <Statuses {...batch} /> },
      { head: payouts.at, width: 172, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
)

export function BatchPage() {
  const { id } = useParams({ from: '/shell/payouts/batches/$id' })
  const { data, error } = useQuery(batchQuery(id))
  return (
    <Page title={words.one} parent={[payouts.batches, { to: '/payouts/batches' }]}>
      {error && <Failure error={error} />}
      {data === undefined && !error && <WaitingDetail />}
      {data && <Progress {...data} />}
    </Page>
  )
}

/** Each leads to its own page, and says why it was refunded. */
const COLUMNS: readonly Column<Withdrawal>[] = [
  {
    head: payouts.externalId,
    cell: ({ id, externalId }) => (
      <Link to="/payouts/withdrawals/$id" params={{ id }}>
        <Text>{externalId}</Text>
      </Link>
    ),
  },
  ...WITHDRAWAL_COLUMNS.slice(1),
  {
    head: money.withdrawal.reason,
    cell: ({ failureReason }) => failureText(failureReason),
    isEmpty: ({ failureReason }) => failureReason === null,
  },
]

/** Of all of them, the refunded ones as well. */
const sumOf = (withdrawals: OwnBatch['withdrawals'], of: 'amountCents' | 'feeCents'): number =>
  withdrawals.reduce((sum, withdrawal) => sum + withdrawal[of], 0)

const Progress = ({ batch, withdrawals }: OwnBatch) => (
  <>
    <DetailList
      details={[
        [payouts.externalId, <Text key="id">{batch.externalId}</Text>],
        [words.count, formatCount(batch.total)],
        [words.sum, dollars(sumOf(withdrawals, 'amountCents'))],
        [words.fees, dollars(sumOf(withdrawals, 'feeCents'))],
        [payouts.at, <Time key="at" at={batch.createdAt} />],
      ]}
    />
    <Section title={words.progress}>
      <Figures
        figures={STATUSES.flatMap((status) => {
          const count = batch.byStatus[status]
          return count === undefined
            ? []
            : [[payouts.statuses[status], formatCount(count)] as const]
        })}
      />
    </Section>
    <Section title={payouts.withdrawals}>
      <Table
        caption={payouts.withdrawals}
        empty={words.none}
        rows={withdrawals}
        keyOf={({ id }) => id}
        columns={COLUMNS}
      />
    </Section>
  </>
)
