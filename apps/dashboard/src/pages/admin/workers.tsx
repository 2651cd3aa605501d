// Who works for a market, and what our account there holds.
import type { AdminHealth } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { formatMoney } from '../../kit/money.tsx'
import { Badge } from '../../kit/notice.tsx'
import { Table } from '../../kit/table.tsx'
import { formatDistance } from '../../kit/time.tsx'
import { admin } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.partner.health

interface WorkersProps {
  readonly market: string
  readonly workers: AdminHealth['markets'][number]['workers']
}

export const Workers = ({ market, workers }: WorkersProps) => (
  <Table
    caption={words.workersOf(marketName(market))}
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
        cell: ({ heartbeatAgeMs }) =>
          heartbeatAgeMs === null ? words.never : formatDistance(-heartbeatAgeMs),
      },
      {
        head: words.supplierBalance,
        align: 'end',
        cell: ({ balanceUsd }) => (balanceUsd === null ? null : formatMoney(balanceUsd, 'USD')),
      },
    ]}
  />
)
