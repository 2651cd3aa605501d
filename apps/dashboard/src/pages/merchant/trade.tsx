// A trade: where it stands, what happened, where every cent went, what was delivered.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { Trade, TradePage as TradeFacts } from '@tradepost/contract'
import { CopyId } from '../../kit/copy.tsx'
import { Columns, Facts, Tabs, Timeline, type TimelineEntry } from '../../kit/detail.tsx'
import { formatMoney, Money } from '../../kit/money.tsx'
import { Badge, Failure } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { Waiting } from '../../kit/waiting.tsx'
import { tradeQuery } from '../../queries/merchant.ts'
import { sessionQuery } from '../../queries/session.ts'
import { texts } from '../../texts/en.ts'
import { TRADE_TONES } from '../tones.ts'

const words = texts.merchant.trades

const TABS = ['timeline', 'items', 'money', 'deliveries'] as const

export function TradePage() {
  const { id, tab = 'timeline' } = useParams({ from: '/shell/trades/$id/{-$tab}' })
  const { data, error } = useQuery(tradeQuery(id))
  const name = data?.trade.items[0]?.marketHashName
  return (
    <Page title={name ?? words.one} parent={[words.title, { to: '/trades' }]}>
      <Tabs
        tabs={TABS.map((each) => ({
          label: words.tabs[each],
          link: {
            to: '/trades/$id/{-$tab}',
            params: { id, tab: each === 'timeline' ? undefined : each },
          },
        }))}
      />
      {error && <Failure error={error} />}
      {data === undefined && !error && <Waiting />}
      {data && (
        <Columns aside={<TradeAside {...data} />}>
          {tab === 'items' ? (
            <Items trade={data.trade} />
          ) : tab === 'money' ? (
            <Postings {...data} />
          ) : tab === 'deliveries' ? (
            <Deliveries {...data} />
          ) : (
            <Timeline entries={timelineOf(data)} />
          )}
        </Columns>
      )}
    </Page>
  )
}

function TradeAside({ trade, requestId, userExternalId }: TradeFacts) {
  const { data: session } = useQuery(sessionQuery)
  const isOwn = trade.userId === session?.user.accountId
  return (
    <Facts
      facts={[
        [
          words.status,
          <Badge key="status" tone={TRADE_TONES[trade.status]}>
            {words.statuses[trade.status]}
          </Badge>,
        ],
        [words.total, <Money key="total" amount={trade.totalPrice} currency={trade.currency} />],
        [words.type, words.types[trade.type]],
        [words.error, trade.error],
        [words.made, <Time key="made" at={trade.createdAt} />],
        [words.holdEnds, trade.holdEndDate && <Time at={trade.holdEndDate} />],
        [words.settled, trade.settledAt && <Time at={trade.settledAt} />],
        [
          words.user,
          isOwn ? (
            words.merchantItself
          ) : (
            <Link key="user" to="/users/$id/{-$tab}" params={{ id: trade.userId }}>
              {userExternalId ?? trade.userId}
            </Link>
          ),
        ],
        [words.externalId, trade.externalId],
        [words.platformId, <code key="platform">{trade.platformId}</code>],
        [words.offerId, trade.offerId && <CopyId value={trade.offerId} what={words.offerId} />],
        [words.tradeId, <CopyId key="id" value={trade.id} what={words.tradeId} />],
        [words.requestId, requestId && <CopyId value={requestId} what={words.requestId} />],
      ]}
    />
  )
}

const Items = ({ trade }: { readonly trade: Trade }) => (
  <Table
    caption={words.items}
    empty=""
    rows={trade.items}
    keyOf={({ id }) => id}
    columns={[
      { head: words.items, cell: ({ marketHashName }) => marketHashName ?? words.unnamed },
      {
        head: words.status,
        cell: ({ status, error }) => (
          <>
            <Badge tone={TRADE_TONES[status]}>{words.statuses[status]}</Badge>{' '}
            {error && <code>{error}</code>}
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
        cell: ({ refund }) =>
          refund && (
            <>
              <Money amount={refund.amount} currency={trade.currency} />{' '}
              {refund.penalty > 0 && words.penalty(formatMoney(refund.penalty, trade.currency))}
            </>
          ),
      },
      { head: words.wear, cell: ({ wear }) => wear },
      { head: words.externalId, cell: ({ externalId }) => externalId },
      { head: words.offer, cell: ({ offerId }) => offerId && <code>{offerId}</code> },
    ]}
  />
)

const Postings = ({ postings }: TradeFacts) => (
  <>
    <p>{words.moneyText}</p>
    <Table
      caption={words.tabs.money}
      empty={words.noPostings}
      rows={postings}
      keyOf={({ journalId, from, to, amount }) => `${journalId} ${from} ${to} ${amount}`}
      columns={[
        { head: words.posting, cell: ({ kind }) => readable(kind) },
        {
          head: words.item,
          cell: ({ item }) => (item === null ? words.whole : words.itemNumber(item)),
        },
        { head: words.from, cell: ({ from }) => readable(from) },
        { head: words.to, cell: ({ to }) => readable(to) },
        {
          head: words.amount,
          align: 'end',
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
        },
        { head: words.time, cell: ({ at }) => <Time at={at} seconds /> },
      ]}
    />
  </>
)

const Deliveries = ({ deliveries }: TradeFacts) => (
  <Table
    caption={words.tabs.deliveries}
    empty={words.noDeliveries}
    rows={deliveries}
    keyOf={({ deliveryId, attempt, at }) => `${deliveryId} ${attempt} ${at}`}
    columns={[
      {
        head: words.event,
        cell: ({ deliveryId, type }) => (
          <Link to="/webhook/deliveries/$id" params={{ id: deliveryId }}>
            {type}
          </Link>
        ),
      },
      { head: words.attempt, align: 'end', cell: ({ attempt }) => attempt },
      { head: words.answer, cell: ({ status, error }) => status ?? error },
      {
        head: words.took,
        align: 'end',
        cell: ({ durationMs }) => texts.webhook.took(durationMs),
      },
      { head: words.time, cell: ({ at }) => <Time at={at} seconds /> },
    ]}
  />
)

/** A name of the books, as words: `merchant_fee` is `merchant fee`. */
const readable = (name: string): string => name.replaceAll('_', ' ')

function timelineOf({ trade, timeline }: TradeFacts): TimelineEntry[] {
  const numbers = new Map(trade.items.map(({ id }, i) => [id, i + 1]))
  const hasSeveral = trade.items.length > 1
  return timeline.map((entry) => {
    const { at, kind, what, itemId, status, error, amount, offerId, attempt, responseStatus } =
      entry
    const number = hasSeveral && itemId !== null ? numbers.get(itemId) : undefined
    const title =
      kind === 'item' && status !== null && what === 'moved'
        ? words.statuses[status]
        : kind === 'request'
          ? `${words.kinds.request}: ${what}`
          : readable(what)
    const details = [
      kind === 'item' || kind === 'request' ? null : words.kinds[kind],
      number === undefined ? null : words.itemNumber(number),
      amount === null ? null : formatMoney(amount, trade.currency),
      offerId,
      error,
      attempt === null
        ? null
        : words.attemptOf(attempt, String(responseStatus ?? texts.webhook.noAnswer)),
    ].filter((part) => part !== null)
    const tone = status === null ? 'plain' : TRADE_TONES[status]
    return {
      ...{ at, title, detail: details.join(' · ') },
      ...(kind === 'item' && tone !== 'plain' && { tone }),
    }
  })
}
