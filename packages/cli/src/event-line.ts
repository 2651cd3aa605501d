// An event in one line: time, type, id, and as many details as fit the terminal.

import type { Terminal } from './environment.ts'
import type { Paint } from './paint.ts'
import { statusPaint } from './paint.ts'
import type { WebhookEvent } from './sdk.ts'
import { clean, clockTime, money, widthOf } from './text.ts'

type Part = readonly [text: string, paint: (text: string) => string]

export function eventLine(event: WebhookEvent, terminal: Terminal): string {
  const paint: Paint = terminal.outPaint
  const { type, createdAt, id } = event
  const { trade } = event.data
  const [, step = type] = type.split('.')
  const same = (text: string): string => text
  const shown: Part[] = [
    [clockTime(new Date(createdAt)), paint.dim],
    [clean(type).padEnd(15), statusPaint(paint, step)],
    [id, same],
  ]
  const others: Part[] = [
    [`trade ${trade.id}`, paint.dim],
    [money(trade.totalPrice, trade.currency), same],
    [clean(trade.externalId ?? ''), paint.dim],
  ]
  let width = shown.reduce((sum, [text]) => sum + GAP.length + widthOf(text), -GAP.length)
  for (const part of others) {
    const more = GAP.length + widthOf(part[0])
    if (part[0] === '' || width + more > terminal.columns) continue
    width += more
    shown.push(part)
  }
  return shown.map(([text, colour]) => colour(text)).join(GAP)
}

const GAP = '  '

/** The same for programs. */
export const eventFacts = ({ id, type, createdAt, data }: WebhookEvent) => ({
  id,
  type,
  createdAt,
  tradeId: data.trade.id,
  status: data.trade.status,
})
