// A trade or an order: where it stands, what happened, where every cent went, what was delivered.
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { Trade, TradeDelivery, TradePage } from '@tradepost/contract'
import type { ReactNode } from 'react'
import { CopyId } from '../../kit/copy.tsx'
import { Columns, DetailList, Tabs, Timeline, type TimelineEntry } from '../../kit/detail.tsx'
import { formatMoney, Money } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { WithPicture } from '../../kit/picture.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Table } from '../../kit/table.tsx'
import { asText } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import { tradeQuery } from '../../queries/merchant.ts'
import { readable } from '../../texts/readable.ts'
import { texts } from '../../texts/texts.ts'
import { trade as words } from '../../texts/trade.ts'
import { TRADE_TONES } from '../tones.ts'
import { nameOfItem, numbersOf, titleOfTrade } from './item-names.ts'
import { failureOf, Problems } from './problems.tsx'
import { Deliveries, Postings } from './records.tsx'
import { TradeStatus } from './status.tsx'
import { type Grouped, groupedBySteps, type StepName, stepOf } from './steps.ts'

const trades = texts.merchant.trades

const TABS = ['timeline', 'items', 'money', 'deliveries'] as const

type Target = Pick<LinkProps, 'to' | 'params'>

interface TradeViewProps {
  readonly id: string
  readonly tab: string | undefined
  /** What one is called. */
  readonly title: string
  readonly parent: readonly [label: string, link: Target]
  /** The address of a tab; the first one has none of its own. */
  readonly linkOf: (tab: string | undefined) => Target
  /** Who bought or sold. */
  readonly user: readonly [label: string, value: (details: TradePage) => ReactNode]
  readonly deliveryLink: (delivery: TradeDelivery) => Target
  /** The page of the market order that it fills. */
  readonly orderLink?: (orderId: string) => Target
  /** What the list says of its state, where that is less exact. */
  readonly listedAs?: (status: Trade['status']) => string
}

export function TradeView(props: TradeViewProps) {
  const {
    id,
    tab = 'timeline',
    title,
    parent,
    linkOf,
    user,
    deliveryLink,
    orderLink,
    listedAs,
  } = props
  const { data, error } = useQuery(tradeQuery(id))
  return (
    <Page
      title={data ? titleOfTrade(data.trade) : title}
      parent={parent}
      badge={data && <State status={data.trade.status} listedAs={listedAs} />}
    >
      <Tabs
        tabs={TABS.map((each) => ({
          label: trades.tabs[each],
          link: linkOf(each === 'timeline' ? undefined : each),
        }))}
      />
      {error && <Failure error={error} />}
      {data === undefined && !error && <WaitingDetail />}
      {data && (
        <Columns aside={<TradeAside {...{ details: data, user, orderLink }} />}>
          {tab === 'items' ? (
            <Items trade={data.trade} />
          ) : tab === 'money' ? (
            <Postings {...data} />
          ) : tab === 'deliveries' ? (
            <Deliveries {...data} linkOf={deliveryLink} />
          ) : (
            <>
              <Problems
                items={problemItemsOf(data)}
                deliveries={data.deliveries}
                linkOf={deliveryLink}
              />
              <TradeStatus {...statusOf(data)} />
              <Timeline entries={timelineOf(data)} />
            </>
          )}
        </Columns>
      )}
    </Page>
  )
}

function State({
  status,
  listedAs,
}: {
  readonly status: Trade['status']
  readonly listedAs: TradeViewProps['listedAs']
}) {
  const states = [listedAs?.(status), trades.statuses[status]].filter(Boolean)
  return <Badge tone={TRADE_TONES[status]}>{[...new Set(states)].join(': ')}</Badge>
}

function TradeAside({
  details,
  user,
  orderLink,
}: {
  readonly details: TradePage
  readonly user: TradeViewProps['user']
  readonly orderLink: TradeViewProps['orderLink']
}) {
  const { trade, requestId } = details
  const { marketOrderId } = trade
  // Kept by the items whose hold was cut short.
  const holdEnd = trade.items.some(({ status }) => status === 'hold') ? trade.holdEndDate : null
  return (
    <DetailList
      details={[
        [trades.total, <Money key="total" amount={trade.totalPrice} currency={trade.currency} />],
        [trades.type, trades.types[trade.type]],
        [trades.error, trade.error && <ItemError key="error" code={trade.error} />],
        [trades.made, <Time key="made" at={trade.createdAt} seconds />],
        [trades.holdEnds, holdEnd && <Time at={holdEnd} seconds />],
        [trades.settled, trade.settledAt && <Time at={trade.settledAt} seconds />],
        [user[0], user[1](details)],
        [
          trades.marketOrder,
          marketOrderId && orderLink && (
            <Link {...orderLink(marketOrderId)}>
              <ShortId id={marketOrderId} />
            </Link>
          ),
        ],
        [trades.externalId, trade.externalId],
        [trades.platformId, <code key="platform">{trade.platformId}</code>],
        [trades.offerId, trade.offerId && <CopyId value={trade.offerId} what={trades.offerId} />],
        [trades.tradeId, <CopyId key="id" value={trade.id} what={trades.tradeId} />],
        [trades.requestId, requestId && <CopyId value={requestId} what={trades.requestId} />],
      ]}
    />
  )
}

const ItemError = ({ code }: { readonly code: string }) => (
  <a href="/docs/errors-and-retries#the-error-of-an-item" title={code}>
    {failureOf(code)}
  </a>
)

const Items = ({ trade }: { readonly trade: Trade }) => (
  <Table
    caption={trades.items}
    empty=""
    rows={trade.items}
    keyOf={({ id }) => id}
    columns={[
      {
        head: trades.items,
        cell: (item) => (
          <WithPicture iconUrl={item.iconUrl} edge={48}>
            {asText(nameOfItem(trade, item))}
          </WithPicture>
        ),
      },
      {
        head: trades.status,
        cell: ({ status, error }) => (
          <>
            <Badge tone={TRADE_TONES[status]}>{trades.statuses[status]}</Badge>{' '}
            {error && <ItemError code={error} />}
          </>
        ),
      },
      {
        head: trades.price,
        align: 'end',
        cell: ({ price }) => <Money amount={price} currency={trade.currency} />,
      },
      {
        head: trades.refund,
        align: 'end',
        cell: ({ refund, status }) =>
          refund && (
            <>
              <Money amount={refund.amount} currency={trade.currency} />{' '}
              {refund.penalty > 0 &&
                trades.penalty(
                  formatMoney(refund.penalty, trade.currency),
                  status === 'declined' ? trades.offerDeclined : trades.reversedByUser,
                )}
            </>
          ),
        isEmpty: ({ refund }) => !refund,
      },
      { head: trades.wear, cell: ({ wear }) => wear, isEmpty: ({ wear }) => !wear },
      {
        head: trades.externalId,
        cell: ({ externalId }) => externalId,
        isEmpty: ({ externalId }) => !externalId,
      },
      {
        head: trades.offer,
        cell: ({ offerId }) => offerId && <code>{offerId}</code>,
        isEmpty: ({ offerId }) => !offerId,
      },
    ]}
  />
)

function statusOf({ trade, explanation }: TradePage) {
  const names = new Map(trade.items.map((item) => [item.id, nameOfItem(trade, item)]))
  return {
    money: explanation.money,
    items: explanation.items.map((item) => ({
      ...item,
      name: names.get(item.id) ?? trades.unnamed,
    })),
  }
}

interface Line extends TimelineEntry {
  readonly step: StepName | null
  /** Of the wallet; null: no money moved. */
  readonly amount: number | null
  readonly isItem: boolean
}

/** One row for each step of the trade; money, events and webhooks are folded below it. */
function timelineOf({ trade, timeline, deliveries }: TradePage): TimelineEntry[] {
  // In the order in which they were made: their numbers begin again after a recovery.
  const webhooks = Map.groupBy(deliveries, ({ deliveryId }) => deliveryId)
  const lines = [...linesOf(trade, timeline), ...[...webhooks.values()].flatMap(webhookLine)]
  const steps = groupedBySteps(lines.toSorted((a, b) => a.at.localeCompare(b.at)))
  return steps.map((step, i) => rowOf(i === steps.length - 1 ? step : pastOf(step), trade))
}

/** What was waited for has come: only the last step can still be a warning. */
const pastOf = ({ lines, ...step }: Grouped<Line>): Grouped<Line> => ({
  ...step,
  lines: lines.map(({ tone, ...line }) => ({ ...line, ...(tone && tone !== 'warn' && { tone }) })),
})

function rowOf({ step, at, lines }: Grouped<Line>, trade: Trade): TimelineEntry {
  const amounts = lines.flatMap(({ amount }) => amount ?? [])
  const sum = amounts.reduce((total, amount) => total + Math.round(amount * 100), 0) / 100
  const said = lines.filter(({ isItem }) => isItem).flatMap(({ detail }) => detail || [])
  const ends = new Set(step === 'ended' ? lines.flatMap((line) => endOf(line)) : [])
  const tone = lines.find((line) => line.isItem && line.tone)?.tone
  const detail = [
    ...(amounts.length > 0 ? [formatMoney(sum, trade.currency)] : []),
    ...new Set(said.map(String)),
  ].join(' · ')
  return {
    ...{ at, detail },
    title: step === 'ended' ? words.endedAs([...ends]) : words.steps[step],
    ...(tone && { tone }),
    ...(lines.length > 1 && { folded: { summary: words.entries(lines.length), entries: lines } }),
  }
}

/** The state with which an item ended. */
const endOf = ({ isItem, title }: Line): string[] => (isItem ? [String(title)] : [])

/** A webhook is one line, at its first attempt, however often it was sent. */
function webhookLine(attempts: readonly TradeDelivery[]): Line[] {
  const [first] = attempts
  const last = attempts.at(-1)
  if (first === undefined || last === undefined) return []
  const outcome =
    last.status === null
      ? trades.webhookFailed(attempts.length, last.error)
      : trades.webhookAnswered(attempts.length, last.status)
  return [
    {
      ...{ at: first.at, title: first.type, detail: `${trades.kinds.webhook} · ${outcome}` },
      ...{ step: stepOf('webhook', first.type), amount: null, isItem: false },
    },
  ]
}

function linesOf(trade: Trade, timeline: TradePage['timeline']): Line[] {
  const numbers = numbersOf(trade)
  const steps = timeline.filter(({ kind }) => kind !== 'webhook')
  return steps.map((entry) => {
    const { at, kind, what, itemId, status, error, amount, offerId } = entry
    const details = [
      kind === 'item' || kind === 'request' ? null : trades.kinds[kind],
      itemId && numbers.get(itemId),
      amount === null ? null : formatMoney(amount, trade.currency),
      offerId,
      error && failureOf(error),
    ].filter(Boolean)
    const tone = status === null ? 'plain' : TRADE_TONES[status]
    return {
      ...{ at, title: titleOf(entry), detail: details.join(' · ') },
      ...{ step: stepOf(kind, what, status), amount, isItem: kind === 'item' },
      ...(kind === 'item' && tone !== 'plain' && { tone }),
    }
  })
}

function titleOf({ kind, what, status }: TradePage['timeline'][number]): string {
  if (kind === 'request') return `${trades.kinds.request}: ${what}`
  if (kind === 'offer') return trades.offerSeen
  return kind === 'item' && status !== null && what === 'moved'
    ? trades.statuses[status]
    : readable(what)
}

/** What is said of its items above everything else. */
const problemItemsOf = ({ trade }: TradePage) =>
  trade.items.map((item) => ({
    ...{ id: item.id, name: nameOfItem(trade, item) },
    ...{ error: item.error ?? null, detail: item.errorDetail ?? null },
    revertedBy:
      item.status !== 'reverted'
        ? null
        : item.refund?.penalty
          ? ('user' as const)
          : ('supplier' as const),
  }))
