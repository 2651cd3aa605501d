import { Link } from '@tanstack/react-router'
import type { DashboardTrade, Trade } from '@tradepost/contract'
import { Empty } from '../../kit/empty.tsx'
import { Export } from '../../kit/export.tsx'
import { choice, text, time } from '../../kit/list/filters.ts'
import { List, type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge } from '../../kit/notice.tsx'
import { WithPicture } from '../../kit/picture.tsx'
import { asText } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { texts } from '../../texts/texts.ts'
import { TRY_OUT } from '../commands.ts'
import { TRADE_TONES } from '../tones.ts'
import { titleOfTrade } from '../trade/item-names.ts'

const words = texts.merchant.trades

export const TRADE_COLUMNS: readonly ListColumn<Trade>[] = [
  {
    head: words.items,
    cell: (trade) => (
      <WithPicture iconUrl={trade.items[0]?.iconUrl}>{asText(titleOfTrade(trade))}</WithPicture>
    ),
  },
  { head: words.type, width: 64, isMinor: true, cell: ({ type }) => words.types[type] },
  {
    head: words.status,
    width: 116,
    cell: ({ status }) => <Badge tone={TRADE_TONES[status]}>{words.statuses[status]}</Badge>,
  },
  {
    ...{ head: words.externalId, width: 150, isMinor: true, isOptional: true },
    cell: ({ externalId }) => externalId,
  },
  {
    head: words.total,
    width: 120,
    align: 'end',
    cell: ({ totalPrice, currency }) => <Money amount={totalPrice} currency={currency} />,
  },
  { head: words.made, width: 172, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** After the items: whose they are. */
const COLUMNS_OF_ALL_USERS: readonly ListColumn<DashboardTrade>[] = [
  ...TRADE_COLUMNS.slice(0, 1),
  {
    head: words.user,
    width: 130,
    cell: ({ userId, userName }) =>
      userName === null ? (
        words.own
      ) : (
        <Link to="/users/$id/{-$tab}" params={{ id: userId, tab: undefined }}>
          {asText(userName)}
        </Link>
      ),
  },
  ...TRADE_COLUMNS.slice(1),
]

const FILTERS = [
  choice('status', words.status, words.statuses, { many: true }),
  choice('type', words.type, words.types),
  time(words.made),
  text('itemName', words.itemName),
  text('externalId', words.externalId),
  text('offerId', words.offerId),
  text('tradeId', words.tradeId),
  choice('hideResolved', words.resolved, words.hideResolved),
]
const OF_ALL_USERS = [...FILTERS, text('subUserId', words.user, words.userHint)]

const TRADES = {
  route: 'listTrades',
  columns: TRADE_COLUMNS,
  keyOf: ({ id }: Trade) => id,
  open: ({ id }: Trade) => ({
    to: '/trades/$id/{-$tab}' as const,
    params: { id, tab: undefined },
  }),
  empty: <Empty text={words.empty} command={TRY_OUT} />,
} as const

export const TradesPage = () => (
  <ListPage
    {...TRADES}
    title={words.title}
    columns={COLUMNS_OF_ALL_USERS}
    filters={OF_ALL_USERS}
    act={(query) => <Export what="trades" title={words.title} query={query} />}
  />
)

/** On the page of a sub-user. */
export const TradesOfUser = ({ id }: { readonly id: string }) => (
  <List {...TRADES} caption={words.title} filters={FILTERS} fixed={{ subUserId: id }} />
)
