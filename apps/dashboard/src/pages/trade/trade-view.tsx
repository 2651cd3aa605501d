// A trade or an order: where it stands, what happened, where every cent went, what was delivered.
import { useQuery } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import type { Trade, TradeDelivery, TradeFailureCode, TradePage } from '@tradepost/contract'
import type { ReactNode } from 'react'
import { CopyId } from '../../kit/copy.tsx'
import { Columns, Facts, Tabs, Timeline, type TimelineEntry } from '../../kit/detail.tsx'
import { formatMoney, Money } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { WithPicture } from '../../kit/picture.tsx'
import { Table } from '../../kit/table.tsx'
import { asText } from '../../kit/text.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import { tradeQuery } from '../../queries/merchant.ts'
import { texts } from '../../texts/texts.ts'
import { TRADE_TONES } from '../tones.ts'
import { nameOfItem, numbersOf, titleOfTrade } from './item-names.ts'
import { Deliveries, Postings, readable } from './records.tsx'
import { Standing } from './standing.tsx'

const words = texts.merchant.trades

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
  readonly user: readonly [label: string, value: (facts: TradePage) => ReactNode]
  readonly deliveryLink: (delivery: TradeDelivery) => Target
  /** What the list says of its state, where that is less exact. */
  readonly listedAs?: (status: Trade['status']) => string
}

export function TradeView(props: TradeViewProps) {
  const { id, tab = 'timeline', title, parent, linkOf, user, deliveryLink, listedAs } = props
  const { data, error } = useQuery(tradeQuery(id))
  return (
    <Page
      title={data ? titleOfTrade(data.trade) : title}
      parent={parent}
      badge={data && <State status={data.trade.status} listedAs={listedAs} />}
    >
      <Tabs
        tabs={TABS.map((each) => ({
          label: words.tabs[each],
          link: linkOf(each === 'timeline' ? undefined : each),
        }))}
      />
      {error && <Failure error={error} />}
      {data === undefined && !error && <WaitingDetail />}
      {data && (
        <Columns aside={<TradeAside {...{ facts: data, user }} />}>
          {tab === 'items' ? (
            <Items trade={data.trade} />
          ) : tab === 'money' ? (
            <Postings {...data} />
          ) : tab === 'deliveries' ? (
            <Deliveries {...data} linkOf={deliveryLink} />
          ) : (
            <>
              <Standing {...standingOf(data)} />
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
  const states = [listedAs?.(status), words.statuses[status]].filter(Boolean)
  return <Badge tone={TRADE_TONES[status]}>{[...new Set(states)].join(': ')}</Badge>
}

function TradeAside({
  facts,
  user,
}: {
  readonly facts: TradePage
  readonly user: TradeViewProps['user']
}) {
  const { trade, requestId } = facts
  // Kept by the items whose hold was cut short.
  const holdEnd = trade.items.some(({ status }) => status === 'hold') ? trade.holdEndDate : null
  return (
    <Facts
      facts={[
        [words.total, <Money key="total" amount={trade.totalPrice} currency={trade.currency} />],
        [words.type, words.types[trade.type]],
        [words.error, trade.error && <ItemError key="error" code={trade.error} />],
        [words.made, <Time key="made" at={trade.createdAt} />],
        [words.holdEnds, holdEnd && <Time at={holdEnd} />],
        [words.settled, trade.settledAt && <Time at={trade.settledAt} />],
        [user[0], user[1](facts)],
        [words.externalId, trade.externalId],
        [words.platformId, <code key="platform">{trade.platformId}</code>],
        [words.offerId, trade.offerId && <CopyId value={trade.offerId} what={words.offerId} />],
        [words.tradeId, <CopyId key="id" value={trade.id} what={words.tradeId} />],
        [words.requestId, requestId && <CopyId value={requestId} what={words.requestId} />],
      ]}
    />
  )
}

/** A code that is newer than this page stands for itself. */
const failureOf = (code: string): string => words.failures[code as TradeFailureCode] ?? code

const ItemError = ({ code }: { readonly code: string }) => (
  <a href="/docs/errors-and-retries#the-error-of-an-item" title={code}>
    {failureOf(code)}
  </a>
)

const Items = ({ trade }: { readonly trade: Trade }) => (
  <Table
    caption={words.items}
    empty=""
    rows={trade.items}
    keyOf={({ id }) => id}
    columns={[
      {
        head: words.items,
        cell: (item) => (
          <WithPicture iconUrl={item.iconUrl} edge={48}>
            {asText(nameOfItem(trade, item))}
          </WithPicture>
        ),
      },
      {
        head: words.status,
        cell: ({ status, error }) => (
          <>
            <Badge tone={TRADE_TONES[status]}>{words.statuses[status]}</Badge>{' '}
            {error && <ItemError code={error} />}
          </>
        ),
      },
      {
        head: words.price,
        align: 'end',
        cell: ({ price }) => <Money amount={price} currency={trade.currency} />,
      },
      {
        head: words.refund,
        align: 'end',
        cell: ({ refund, status }) =>
          refund && (
            <>
              <Money amount={refund.amount} currency={trade.currency} />{' '}
              {refund.penalty > 0 &&
                words.penalty(
                  formatMoney(refund.penalty, trade.currency),
                  status === 'declined' ? words.offerDeclined : words.reversedByUser,
                )}
            </>
          ),
      },
      { head: words.wear, cell: ({ wear }) => wear },
      { head: words.externalId, cell: ({ externalId }) => externalId },
      { head: words.offer, cell: ({ offerId }) => offerId && <code>{offerId}</code> },
    ]}
  />
)

function standingOf({ trade, explanation }: TradePage) {
  const names = new Map(trade.items.map((item) => [item.id, nameOfItem(trade, item)]))
  return {
    money: explanation.money,
    items: explanation.items.map((item) => ({
      ...item,
      name: names.get(item.id) ?? words.unnamed,
    })),
  }
}

/** A webhook is one row, at its first attempt, however often it was sent. */
function webhookEntry(attempts: readonly TradeDelivery[]): TimelineEntry[] {
  const [first] = attempts
  const last = attempts.at(-1)
  if (first === undefined || last === undefined) return []
  const outcome =
    last.status === null
      ? words.webhookFailed(attempts.length, last.error)
      : words.webhookAnswered(attempts.length, last.status)
  return [{ at: first.at, title: first.type, detail: `${words.kinds.webhook} · ${outcome}` }]
}

function timelineOf({ trade, timeline, deliveries }: TradePage): TimelineEntry[] {
  // In the order in which they were made: their numbers begin again after a recovery.
  const webhooks = Map.groupBy(deliveries, ({ deliveryId }) => deliveryId)
  const entries = [...stepsOf(trade, timeline), ...[...webhooks.values()].flatMap(webhookEntry)]
  return entries.toSorted((a, b) => a.at.localeCompare(b.at))
}

function stepsOf(trade: Trade, timeline: TradePage['timeline']): TimelineEntry[] {
  const numbers = numbersOf(trade)
  const steps = timeline.filter(({ kind }) => kind !== 'webhook')
  return steps.map((entry) => {
    const { at, kind, itemId, status, error, amount, offerId } = entry
    const details = [
      kind === 'item' || kind === 'request' ? null : words.kinds[kind],
      itemId && numbers.get(itemId),
      amount === null ? null : formatMoney(amount, trade.currency),
      offerId,
      error && failureOf(error),
    ].filter(Boolean)
    const tone = status === null ? 'plain' : TRADE_TONES[status]
    return {
      ...{ at, title: titleOf(entry), detail: details.join(' · ') },
      ...(kind === 'item' && tone !== 'plain' && { tone }),
    }
  })
}

function titleOf({ kind, what, status }: TradePage['timeline'][number]): string {
  if (kind === 'request') return `${words.kinds.request}: ${what}`
  if (kind === 'offer') return words.offerSeen
  return kind === 'item' && status !== null && what === 'moved'
    ? words.statuses[status]
    : readable(what)
}
