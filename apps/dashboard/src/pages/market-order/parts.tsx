// What the pages of merchants and administrators show of a market order.
import { Link, type LinkProps } from '@tanstack/react-router'
import type { MarketOrder, MarketOrderDepth } from '@tradepost/contract'
import type { ReactNode } from 'react'
import { CopyId } from '../../kit/copy.tsx'
import { DetailList } from '../../kit/detail.tsx'
import type { ListColumn } from '../../kit/list/list.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge, Notice } from '../../kit/notice.tsx'
import { Section } from '../../kit/page.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Table } from '../../kit/table.tsx'
import { Text } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { formatCount, texts } from '../../texts/texts.ts'
import { MARKET_ORDER_TONES } from '../tones.ts'

const words = texts.merchant.marketOrders

const OrderState = ({ status }: Pick<MarketOrder, 'status'>) => (
  <Badge tone={MARKET_ORDER_TONES[status]}>{words.statuses[status]}</Badge>
)

/** Columns that lists of merchants and administrators share, behind those that say whose it is. */
export const ORDER_COLUMNS: readonly ListColumn<MarketOrder>[] = [
  { head: words.status, width: 116, cell: OrderState },
  {
    head: words.pausedFor,
    width: 120,
    isOptional: true,
    isMinor: true,
    cell: ({ pausedReason }) => pausedReason && words.causes[pausedReason],
  },
  {
    head: words.maxPrice,
    width: 140,
    align: 'end',
    cell: ({ maxPrice, currency }) => <Money amount={maxPrice} currency={currency} />,
  },
  {
    head: words.filled,
    width: 110,
    align: 'end',
    cell: ({ filled, quantity }) => words.filledOf(formatCount(filled), formatCount(quantity)),
  },
  { head: words.created, width: 172, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

interface OrderDetailsProps {
  readonly order: MarketOrder
  readonly item: ReactNode
  /** Who buys. */
  readonly user: readonly (readonly [label: string, value: ReactNode])[]
}

export function OrderDetails({ order, item, user }: OrderDetailsProps) {
  const filters = Object.entries(order.filters).map(([name, value]) => `${name} ${value}`)
  return (
    <DetailList
      details={[
        [words.status, <OrderState key="status" status={order.status} />],
        [words.item, item],
        ...user,
        [words.maxPrice, <Money key="price" amount={order.maxPrice} currency={order.currency} />],
        [words.filled, words.filledOf(formatCount(order.filled), formatCount(order.quantity))],
        [words.pending, formatCount(order.pending)],
        [words.filters, filters.join(', ') || words.noFilters],
        [words.deliveredTo, order.tradeUrl ?? words.primary],
        [words.externalId, <Text key="external">{order.externalId}</Text>],
        [words.expires, <Time key="expires" at={order.expiresAt} />],
        [words.created, <Time key="created" at={order.createdAt} />],
        [words.one, <CopyId key="id" value={order.id} what={words.one} />],
      ]}
    />
  )
}

export const PauseNotice = ({ pausedReason }: Pick<MarketOrder, 'pausedReason'>) =>
  pausedReason !== null && (
    <Notice tone="warn">
      {words.reasons[pausedReason]} {words.goesOn}
    </Notice>
  )

interface FillsProps {
  readonly order: MarketOrder
  readonly linkOf: (tradeId: string) => Pick<LinkProps, 'to' | 'params'>
}

export const Fills = ({ order, linkOf }: FillsProps) => (
  <Section title={words.fills}>
    <Table
      caption={words.fills}
      empty={words.noFill}
      rows={order.trades.map((tradeId) => ({ tradeId }))}
      keyOf={({ tradeId }) => tradeId}
      columns={[
        {
          head: words.trade,
          cell: ({ tradeId }) => (
            <Link {...linkOf(tradeId)}>
              <ShortId id={tradeId} />
            </Link>
          ),
        },
      ]}
    />
  </Section>
)

export const Depth = ({ depth }: { readonly depth: MarketOrderDepth | undefined }) => (
  <Section title={words.depth}>
    <p>{words.depthText}</p>
    <Table
      caption={words.depth}
      empty={words.noDepth}
      rows={depth?.levels}
      expected={1}
      keyOf={({ maxPrice }) => String(maxPrice)}
      columns={[
        {
          head: words.maxPrice,
          align: 'end',
          cell: ({ maxPrice }) => <Money amount={maxPrice} currency={depth?.currency ?? 'USD'} />,
        },
        { head: words.quantity, align: 'end', cell: ({ quantity }) => formatCount(quantity) },
      ]}
    />
  </Section>
)
