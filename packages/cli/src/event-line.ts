// An event in one line.
import type { Paint } from './paint.ts'
import { statusPaint } from './paint.ts'
import type { WebhookEvent } from './sdk.ts'
import { clean, clockTime, money } from './text.ts'

export function eventLine(event: WebhookEvent, paint: Paint): string {
  const { type, createdAt, id } = event
  const { trade } = event.data
  const [, step = type] = type.split('.')
  const reference = trade.externalId === undefined ? '' : ` (${clean(trade.externalId)})`
  return [
    paint.dim(clockTime(new Date(createdAt))),
    statusPaint(paint, step)(type.padEnd(15)),
    `trade ${trade.id}${reference}`,
    money(trade.totalPrice, trade.currency),
    paint.dim(`event ${id}`),
  ].join('  ')
}

/** The same for programs. */
export const eventFacts = ({ id, type, createdAt, data }: WebhookEvent) => ({
  id,
  type,
  createdAt,
  tradeId: data.trade.id,
  status: data.trade.status,
})
