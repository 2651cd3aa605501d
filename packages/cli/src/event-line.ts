// An event in one line: time, type, id, and as many details as fit the terminal.

import type { Terminal } from './environment.ts'
import { eventSubject } from './event-subject.ts'
import type { Paint } from './paint.ts'
import { statusPaint } from './paint.ts'
import type { WebhookEvent } from './sdk.ts'
import { clean, clockTime, money, widthOf } from './text.ts'

type Part = readonly [text: string, paint: (text: string) => string]

export function eventLine(event: WebhookEvent, terminal: Terminal): string {
  const paint: Paint = terminal.outPaint
  const { type, createdAt, id } = event
  const about = eventSubject(event)
  const [, step = type] = type.split('.')
  const same = (text: string): string => text
  const shown: Part[] = [
    [clockTime(new Date(createdAt)), paint.dim],
    [clean(type).padEnd(15), statusPaint(paint, step)],
    [id, same],
  ]
  const others: Part[] = [
    [`${about.kind} ${about.id}`, paint.dim],
    [about.amount === null ? '' : money(about.amount, about.currency), same],
    [clean(about.externalId ?? ''), paint.dim],
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
export function eventFields(event: WebhookEvent) {
  const { id, type, createdAt } = event
  const { kind, id: aboutId, status } = eventSubject(event)
  const about =
    kind === 'service'
      ? { component: aboutId }
      : kind === 'trade'
        ? { tradeId: aboutId }
        : { depositId: aboutId }
  return { id, type, createdAt, ...about, status }
}
