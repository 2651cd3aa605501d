import type { DashboardOrder } from '@tradepost/contract'
import { Empty } from '../../kit/empty.tsx'
import { Export } from '../../kit/export.tsx'
import { choice, text, time } from '../../kit/list/filters.ts'
import { List, type ListColumn, ListPage } from '../../kit/list/list.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge } from '../../kit/notice.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Time } from '../../kit/time.tsx'
import { texts } from '../../texts/texts.ts'
import { PARTNER_TRY_OUT } from '../commands.ts'
import { ORDER_TONES } from '../tones.ts'

const words = texts.partner.orders

const COLUMNS: readonly ListColumn<DashboardOrder>[] = [
  { head: words.item, cell: ({ item }) => item },
  { head: words.id, width: 130, isMinor: true, cell: ({ id }) => <ShortId id={id} /> },
  { head: words.child, width: 240, isMinor: true, cell: ({ email }) => email ?? words.own },
  {
    head: words.status,
    width: 116,
    cell: ({ status: { code } }) => <Badge tone={ORDER_TONES[code]}>{words.statuses[code]}</Badge>,
  },
  {
    head: words.amount,
    width: 120,
    align: 'end',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { head: words.made, width: 172, cell: ({ timestamp }) => <Time at={timestamp} /> },
]

const FILTERS = [
  choice('status', words.status, words.statuses),
  text('itemName', words.itemName),
  time(words.made),
]

const ORDERS = {
  route: 'listPartnerOrders',
  columns: COLUMNS,
  keyOf: ({ id }: DashboardOrder) => id,
  open: ({ id }: DashboardOrder) => ({
    to: '/orders/$id/{-$tab}' as const,
    params: { id, tab: undefined },
  }),
  empty: <Empty text={words.empty} command={PARTNER_TRY_OUT} />,
} as const

export const OrdersPage = () => (
  <ListPage
    {...ORDERS}
    title={words.title}
    filters={[...FILTERS, text('childId', words.childId)]}
    act={(query) => <Export what="orders" title={words.title} query={query} />}
  />
)

/** On the page of a child. */
export const OrdersOfChild = ({ id }: { readonly id: string }) => (
  <List {...ORDERS} caption={words.title} filters={FILTERS} fixed={{ childId: id }} />
)
