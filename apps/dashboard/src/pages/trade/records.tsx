// What was booked and delivered for a trade, as tables. Merchants, partners and administrators see the same.
import { Link, type LinkProps } from '@tanstack/react-router'
import type { TradeDelivery, TradePosting } from '@tradepost/contract'
import { Money } from '../../kit/money.tsx'
import { Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { readable } from '../../texts/readable.ts'
import { texts } from '../../texts/texts.ts'

const words = texts.merchant.trades

export const Postings = ({ postings }: { readonly postings: readonly TradePosting[] }) => (
  <>
    <p>{words.moneyText}</p>
    <Table
      caption={words.tabs.money}
      empty={words.noPostings}
      rows={postings}
      keyOf={({ journalId, from, to, amount }) => `${journalId} ${from} ${to} ${amount}`}
      isFlowing
      columns={[
        { head: words.posting, cell: ({ kind }) => readable(kind) },
        {
          head: words.item,
          cell: ({ item }) => (item === null ? words.whole : words.itemNumber(item)),
        },
        { head: words.from, cell: ({ from }) => accountNamed(from) },
        { head: words.to, cell: ({ to }) => accountNamed(to) },
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

interface DeliveriesProps {
  readonly deliveries: readonly TradeDelivery[]
  /** The page of a delivery. */
  readonly linkOf: (delivery: TradeDelivery) => Pick<LinkProps, 'to' | 'params'>
}

/** The latest first, as on the page of a delivery. */
export const Deliveries = ({ deliveries, linkOf }: DeliveriesProps) => (
  <Table
    caption={words.tabs.deliveries}
    empty={words.noDeliveries}
    rows={deliveries.toReversed()}
    keyOf={({ deliveryId, attempt, at }) => `${deliveryId} ${attempt} ${at}`}
    isFlowing
    columns={[
      {
        head: words.event,
        cell: (delivery) => <Link {...(linkOf(delivery) as LinkProps)}>{delivery.type}</Link>,
      },
      { head: words.attempt, align: 'end', cell: ({ attempt }) => attempt },
      { head: words.answer, cell: ({ status, error }) => status ?? texts.webhook.noAnswer(error) },
      {
        head: words.took,
        align: 'end',
        cell: ({ durationMs }) => texts.webhook.took(durationMs),
      },
      { head: words.time, cell: ({ at }) => <Time at={at} seconds /> },
    ]}
  />
)

const accountNamed = (kind: string): string => words.accounts[kind] ?? readable(kind)
