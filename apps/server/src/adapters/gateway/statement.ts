// The gateway's statement: every movement of our balance there, in days and pages. Of a kind that is no
// payment and no refund nothing is read but that it is there.
import { formatDecimal } from '#kernel/decimal'
import type { CallContext, Read, StatementLine, StatementWindow } from '#ports/deposits'
import { unavailable } from '../shared/deposit-calls.ts'
import { toDepositId } from '../shared/deposit-ids.ts'
import { type Fields, fieldsOf, flagOf, integerOf, listOf, own, textOf } from '../shared/reader.ts'
import { amountOf } from './amounts.ts'
import { type CallGateway, unreadable } from './calls.ts'
import { settlementRefOf } from './order.ts'

const PAGE_SIZE = 500
/** More movements than this in one day, and it says nothing. */
const MOST_PAGES = 200
const DAY_MS = 86_400_000

interface Tools {
  readonly call: CallGateway
  readonly context: CallContext
}

export async function readStatement(
  { from, until }: StatementWindow,
  call: CallGateway,
  context: CallContext,
): Promise<Read<readonly StatementLine[]>> {
  /** By the provider's id of the line: one that comes while pages are read moves others to the next page. */
  const items = new Map<string, Fields>()
  const lastMs = until.getTime()
  for (let fromMs = from.getTime(); fromMs <= lastMs; fromMs += DAY_MS) {
    const untilMs = Math.min(fromMs + DAY_MS - 1, lastMs)
    const fault = await readDay(items, { fromMs, untilMs }, { call, context })
    if (fault !== null) return fault
  }
  return readLines([...items.values()])
}

/** Null when all of the day was read. */
async function readDay(
  items: Map<string, Fields>,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  { call, context }: Tools,
): Promise<Extract<Read<never>, { kind: 'unavailable' }> | null> {
  let page = 1n
  for (let pages = 1; pages <= MOST_PAGES; pages += 1) {
    const query = {
      startTime: String(fromMs),
      endTime: String(untilMs),
      page: String(page),
      count: String(PAGE_SIZE),
    }
    const path = '/v1/pay/bill/orderlist'
    const answer = await call({ operation: 'read statement', path, query }, context)
    if (answer.kind !== 'success') return unreadable(answer)
    const data = fieldsOf(answer.data) ?? {}
    // A window without movements may have no list.
    const found = listOf(own(data, 'balance_history_item_list') ?? [])
    if (found === null) return unavailable('the statement is no list')
    const before = items.size
    for (const item of found) {
      const fields = fieldsOf(item) ?? {}
      const id = textOf(own(fields, 'transactId'))
      if (id === null) return unavailable('a line of the statement has no id')
      items.set(id, fields)
    }
    const hasNext = flagOf(own(data, 'hasNext'))
    if (hasNext === null && found.length === PAGE_SIZE) {
      return unavailable('the statement does not say whether it goes on')
    }
    if (!hasNext) return null
    if (items.size === before) return unavailable('the statement repeats itself')
    const next = integerOf(own(data, 'nextPage')) ?? page + 1n
    if (next <= page) return unavailable('the statement does not go on')
    page = next
  }
  return unavailable('the statement is too long')
}

/** All of them, or a sentence that says which cannot be read. */
function readLines(items: readonly Fields[]): Read<readonly StatementLine[]> {
  const lines: StatementLine[] = []
  for (const fields of items) {
    const line = readLine(fields)
    if (typeof line === 'string') return unavailable(line)
    lines.push(line)
  }
  return { kind: 'read', value: withoutRepeats(lines) }
}

const REFUNDS = new Set(['refund_fi', 'convert_refund_fi'])

/** By its kind and its sign: what comes in is no refund, and what goes out no payment. */
function readLine(fields: Fields): StatementLine | string {
  const text = (name: string): string | null => textOf(own(fields, name))
  const type = text('financialType')
  if (type === null) return 'a line of the statement has no kind'
  const signed = text('payAmount') ?? ''
  const isOut = signed.startsWith('-')
  const isPayment = type === 'receipt_fi' && !isOut
  const isRefund = REFUNDS.has(type) && isOut
  const amount = amountOf(isOut ? signed.slice(1) : signed)
  if ((!isPayment && !isRefund) || amount === 0n) return { kind: 'other' }
  const [prepayId, currency, hash] = [text('orderId'), text('currency'), text('hash')]
  const atMs = Number(text('transactTime') ?? Number.NaN)
  if (prepayId === null || currency === null || amount === null || !Number.isSafeInteger(atMs)) {
    return 'a line of the statement is unreadable'
  }
  return {
    kind: isPayment ? 'payment' : 'refund',
    ref: isPayment && hash !== null ? settlementRefOf(prepayId, hash, 1) : null,
    providerOrderId: prepayId,
    orderId: toDepositId(own(fields, 'merchantTradeNo')),
    currency,
    amountToken: formatDecimal(amount),
    at: new Date(atMs),
  }
}

/** Of a transaction that paid an order more than once no line is one payment: their sum is compared. */
function withoutRepeats(lines: readonly StatementLine[]): readonly StatementLine[] {
  const times = new Map<string | null, number>()
  for (const line of lines) {
    if (line.kind !== 'other') times.set(line.ref, (times.get(line.ref) ?? 0) + 1)
  }
  return lines.map((line) =>
    line.kind !== 'other' && (times.get(line.ref) ?? 0) > 1 ? { ...line, ref: null } : line,
  )
}
