// Trades of all accounts.
import type { AdminListedTrade } from '@tradepost/contract'
import { MARKET_NAMES, marketName } from '@tradepost/contract/market-names'
import { choice, text, time } from '../../kit/list/filters.ts'
import { type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { admin as words } from '../../texts/admin.ts'
import { texts } from '../../texts/texts.ts'
import { TRADE_COLUMNS } from '../merchant/trades.tsx'
import { AccountLink } from './account-link.tsx'

const { trades } = texts.merchant

/** After the items: whose they are, and where they were bought. */
const COLUMNS: readonly ListColumn<AdminListedTrade>[] = [
  ...TRADE_COLUMNS.slice(0, 1),
  {
    ...{ head: words.account, width: 150 },
    cell: ({ tenantId, tenantName }) => <AccountLink id={tenantId} name={tenantName} />,
  },
  {
    ...{ head: words.market, width: 100, isMinor: true },
    cell: ({ markets }) => markets.map(marketName).join(', '),
  },
  ...TRADE_COLUMNS.slice(1),
]

export const AllTradesPage = () => (
  <ListPage
    title={trades.title}
    route="listAllTrades"
    filters={[
      choice('status', trades.status, trades.statuses, { many: true }),
      choice('type', trades.type, trades.types),
      choice('market', words.market, MARKET_NAMES),
      time(trades.made),
      text('accountId', words.accountId),
    ]}
    keyOf={({ id }) => id}
    open={({ id }) => ({ to: '/admin/trades/$id', params: { id } })}
    empty={words.noTrades}
    columns={COLUMNS}
  />
)
