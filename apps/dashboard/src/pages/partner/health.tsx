import { useQuery } from '@tanstack/react-query'
import type { MarketWorkerHealth } from '@tradepost/contract'
import { formatMoney } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { marketHealthQuery } from '../../queries/partner.ts'
import { texts } from '../../texts/en.ts'
import { HEALTH_TONES } from '../tones.ts'

const words = texts.partner.health
const { admin } = texts
export function MarketHealthPage() {
  const { data: health, error } = useQuery(marketHealthQuery)
  return (
    <Page title={words.title}>
      {error && <Failure error={error} />}
      {health === undefined && !error && <Waiting />}
      {health && (
        <>
          <p>
            {words.all}
            {': '}
            <Badge tone={HEALTH_TONES[health.status]}>{admin.healths[health.status]}</Badge>
          </p>
          {(['market_a', 'market_b'] as const).map((market) => {
            const { status, workers } = health.markets[market]
            return (
              <Section key={market} title={market}>
                <p>
                  <Badge tone={HEALTH_TONES[status]}>{admin.healths[status]}</Badge> ·{' '}
                  {admin.service}
                  {': '}
                  {health.service[market] ? admin.yes : admin.no}
                </p>
                <Workers market={market} workers={workers} />
              </Section>
            )
          })}
        </>
      )}
    </Page>
  )
}

const Workers = ({
  market,
  workers,
}: {
  readonly market: string
  readonly workers: readonly MarketWorkerHealth[]
}) => (
  <Table
    caption={words.workersOf(market)}
    empty={words.noWorkers}
    rows={workers}
    keyOf={({ workerId }) => workerId}
    columns={[
      { head: words.worker, cell: ({ workerId }) => <code>{workerId}</code> },
      {
        head: admin.status,
        cell: ({ status }) => (
          <Badge tone={status === 'ok' ? 'good' : 'warn'}>{words.workerStates[status]}</Badge>
        ),
      },
      {
        head: words.heartbeat,
        align: 'end',
        cell: ({ heartbeat }) =>
          heartbeat === null ? words.never : words.secondsAgo(Math.round(heartbeat.ageMs / 1000)),
      },
      {
        head: words.supplierBalance,
        align: 'end',
        cell: ({ heartbeat }) =>
          heartbeat?.balanceUsd == null ? null : formatMoney(heartbeat.balanceUsd, 'USD'),
      },
    ]}
  />
)
