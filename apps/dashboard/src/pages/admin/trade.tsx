import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useParams } from '@tanstack/react-router'
import type { AdminTrade, TradeDelivery } from '@tradepost/contract'
import { marketName } from '@tradepost/contract/market-names'
import { CopyId } from '../../kit/copy.tsx'
import { Columns, DetailList, Figures, Timeline, type TimelineEntry } from '../../kit/detail.tsx'
import { Money } from '../../kit/money.tsx'
import { Badge, Failure, Notice, type Tone } from '../../kit/notice.tsx'
import { Page, Section } from '../../kit/page.tsx'
import { ShortId } from '../../kit/short-id.tsx'
import { Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { WaitingDetail } from '../../kit/waiting.tsx'
import { inspectionQuery } from '../../queries/admin.ts'
import { admin as words } from '../../texts/admin.ts'
import { readable } from '../../texts/readable.ts'
import { texts } from '../../texts/texts.ts'
import { trade as tradeWords } from '../../texts/trade.ts'
import { detailsText } from '../details.ts'
import { TRADE_TONES } from '../tones.ts'
import { failureOf, Problems } from '../trade/problems.tsx'
import { Deliveries, Postings } from '../trade/records.tsx'
import { TradeStatus } from '../trade/status.tsx'
import { groupedBySteps, stepOf } from '../trade/steps.ts'
import { AccountLink } from './account-link.tsx'

const TONES: Readonly<Record<string, Tone>> = TRADE_TONES
const STATUSES: Readonly<Record<string, string>> = texts.merchant.trades.statuses

const deliveryLink = ({ deliveryId: id }: TradeDelivery) =>
  ({ to: '/admin/deliveries/$id', params: { id } }) as const

/** A trade: first where every cent and every item is, then how it came there. */
export function AdminTradePage() {
  const { id } = useParams({ from: '/shell/admin/trades/$id' })
  const { data: trade, error } = useQuery(inspectionQuery(id))
  return (
    <Page
      title={trade ? titleOf(trade) : words.trade}
      parent={[words.tradesOfAccount, linkOfTrades(trade)]}
    >
      {error && <Failure error={error} />}
      {trade === undefined && !error && <WaitingDetail />}
      {trade && (
        <Columns aside={<TradeDetails trade={trade} />}>
          <Problems
            items={trade.items.map(({ id, name, failure, orders }, i) => ({
              ...{ id, name: `#${i + 1} ${name}`, error: failure },
              detail: orders.at(-1)?.detail ?? null,
            }))}
            deliveries={trade.deliveries}
            linkOf={deliveryLink}
          />
          <Now trade={trade} />
          <Items trade={trade} />
          <Section title={texts.merchant.trades.tabs.money}>
            <Postings {...trade} />
          </Section>
          <Section title={words.deliveries}>
            <Deliveries {...trade} linkOf={deliveryLink} />
          </Section>
          <Section title={words.timeline}>
            <Timeline entries={timelineOf(trade)} />
          </Section>
        </Columns>
      )}
    </Page>
  )
}

/** Its first item, and how many more there are. */
const titleOf = ({ items: [first, ...others] }: AdminTrade): string =>
  [first?.name ?? words.trade, others.length > 0 && texts.merchant.trades.more(others.length)]
    .filter(Boolean)
    .join(' ')

const linkOfTrades = (trade: AdminTrade | undefined): Pick<LinkProps, 'to' | 'params'> =>
  trade === undefined
    ? { to: '/admin/accounts' }
    : { to: '/admin/accounts/$id/{-$tab}', params: { id: trade.tenantId, tab: 'trades' } }

/** One row for each step; everything that is remembered of it is folded below, cases are not. */
function timelineOf({ timeline }: AdminTrade): TimelineEntry[] {
  const lines = timeline.map(({ at, kind, what, item, facts }) => ({
    ...{ at, isCase: kind === 'case', step: stepOf(kind, what) },
    end: kind === 'item' ? (STATUSES[what] ?? null) : null,
    title: `${item ?? ''} ${words.kindsOfEntries[kind]}: ${readable(what)}`.trim(),
    detail: detailsText(facts),
    ...(kind === 'case' && { tone: 'warn' as const }),
  }))
  const cases = lines.filter(({ isCase }) => isCase)
  const steps = groupedBySteps(lines.filter(({ isCase }) => !isCase))
  const rows = steps.map(({ step, at, lines: own }): TimelineEntry => {
    const ends = own.flatMap(({ end }) => end ?? [])
    return {
      at,
      title: step === 'ended' ? tradeWords.endedAs([...new Set(ends)]) : tradeWords.steps[step],
      ...(step === 'ended' && { tone: 'bad' as const }),
      folded: { summary: tradeWords.entries(own.length), entries: own },
    }
  })
  return [...rows, ...cases].toSorted((a, b) => a.at.localeCompare(b.at))
}

/** In words first: the money, each item with what happens next, and what a person has to decide. */
const Now = ({ trade }: { readonly trade: AdminTrade }) => (
  <TradeStatus
    money={trade.explanation}
    items={trade.items.map(({ id, name, explanation, next, isOver }, i) => ({
      ...{ id, where: explanation, next, isOver },
      // As the timeline names it.
      name: trade.items.length > 1 ? `#${i + 1} ${name}` : name,
    }))}
  >
    {trade.openCases.map(({ id, kind, meaning }) => (
      <Notice key={id} tone="warn">
        <Link to="/admin/cases/$id" params={{ id }}>
          {words.caseOf(readable(kind))}
        </Link>{' '}
        {meaning}
      </Notice>
    ))}
    {trade.money.length > 0 && (
      <Figures
        figures={trade.money.map(({ account, amount, currency }) => [
          texts.merchant.trades.accounts[account] ?? words.moneyAt(account),
          <Money key={account} {...{ amount, currency }} />,
        ])}
      />
    )}
  </TradeStatus>
)

const ENDED: ReadonlySet<string> = new Set([
  ...['completed', 'reverted', 'declined', 'canceled', 'failed'],
])

/** What has ended is looked at no more, but for what is due later. */
const nextLookOf = ({ dueAt, status }: AdminTrade['items'][number]): string | null =>
  dueAt !== null && ENDED.has(status) && Date.parse(dueAt) <= Date.now() ? null : dueAt

const Items = ({ trade: { items, currency } }: { readonly trade: AdminTrade }) => (
  <Section title={words.items}>
    <Table
      caption={words.items}
      empty=""
      rows={items}
      keyOf={({ id }) => id}
      columns={[
        { head: words.item, cell: ({ name }) => name },
        {
          head: words.state,
          cell: ({ status, failure }) => (
            <>
              <Badge tone={TONES[status] ?? 'plain'}>{STATUSES[status] ?? status}</Badge>
              {failure && (
                <div>
                  <span title={failure}>{failureOf(failure)}</span>
                </div>
              )}
            </>
          ),
        },
        {
          head: words.price,
          align: 'end',
          cell: ({ price }) => <Money {...{ amount: price, currency }} />,
        },
        {
          head: words.order,
          cell: (item) => <OrderOf item={item} />,
        },
        {
          head: words.due,
          cell: (item) => {
            const at = nextLookOf(item)
            return at && <Time at={at} seconds />
          },
          isEmpty: (item) => nextLookOf(item) === null,
        },
      ]}
    />
  </Section>
)

/** The last order at the market, or the bot, and the trade offer. */
function OrderOf({
  item: { market, orders, bot, offerId },
}: {
  readonly item: AdminTrade['items'][number]
}) {
  const order = orders.at(-1)
  return (
    <>
      {market && <div>{marketName(market)}</div>}
      {!market && bot && (
        <div>
          {words.bot} <ShortId id={bot} />
        </div>
      )}
      {order && (
        <div>
          {words.kindsOfEntries.order} <ShortId id={order.orderId ?? order.customId} />,{' '}
          {readable(order.state)}
        </div>
      )}
      {offerId && (
        <div>
          {words.kindsOfEntries.offer} <ShortId id={offerId} />
        </div>
      )}
    </>
  )
}

const TradeDetails = ({ trade }: { readonly trade: AdminTrade }) => (
  <DetailList
    details={[
      [words.id, <CopyId key="id" value={trade.id} what={words.id} />],
      [words.type, texts.merchant.trades.types[trade.type]],
      [words.state, STATUSES[trade.status] ?? trade.status],
      [words.total, <Money key="total" {...{ amount: trade.total, currency: trade.currency }} />],
      [words.account, <AccountLink key="account" id={trade.tenantId} name={trade.tenantName} />],
      [
        texts.merchant.trades.user,
        trade.accountId === trade.tenantId ? null : (
          <AccountLink key="user" id={trade.accountId} name={trade.accountName} />
        ),
      ],
      [
        texts.merchant.trades.marketOrder,
        trade.marketOrderId && (
          <Link to="/admin/market-orders/$id" params={{ id: trade.marketOrderId }}>
            <ShortId id={trade.marketOrderId} />
          </Link>
        ),
      ],
      [words.externalId, trade.externalId],
      [words.request, trade.requestId],
      [words.at, <Time key="at" at={trade.createdAt} seconds />],
    ]}
  />
)
