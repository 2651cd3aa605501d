// The timeline of a trade, one line for each entry.
import { table } from './cli.ts'
import type { Environment } from './environment.ts'
import { statusPaint } from './paint.ts'
import type { Trade, TradeTimeline } from './sdk.ts'
import { failureText, itemName, money } from './text.ts'

type Entry = TradeTimeline['entries'][number]

export function timelineText(
  environment: Environment,
  trade: Trade,
  { entries, currency }: TradeTimeline,
): string {
  const paint = environment.terminal.outPaint
  const names = new Map(trade.items.map((item) => [item.id, itemName(item)]))
  return table(environment, entries, [
    { title: 'AT (UTC)', cell: ({ at }) => `${at.slice(0, 10)} ${at.slice(11, 23)}` },
    { title: 'KIND', cell: ({ kind }) => kind },
    {
      title: 'WHAT',
      cell: ({ what }) => what,
      paint: ({ kind, what, status }) =>
        statusPaint(paint, kind === 'event' ? (what.split('.')[1] ?? '') : (status ?? '')),
    },
    { title: 'DETAIL', cell: (entry) => detailOf(entry, currency), shrinks: true },
    {
      title: 'ITEM',
      cell: ({ itemId }) => (itemId === null ? '' : (names.get(itemId) ?? itemId)),
      shrinks: true,
      drops: 1,
    },
  ])
}

const detailOf = (entry: Entry, currency: TradeTimeline['currency']): string =>
  [
    entry.status,
    entry.error === null ? null : failureText(entry.error),
    entry.amount === null ? null : `${entry.amount > 0 ? '+' : ''}${money(entry.amount, currency)}`,
    entry.offerId === null ? null : `offer ${entry.offerId}`,
    entry.attempt === null
      ? null
      : `attempt ${entry.attempt}: ${entry.responseStatus ?? 'no answer'}`,
    entry.kind === 'event' ? entry.eventId : null,
  ]
    .filter((part) => part !== null)
    .join(', ')
