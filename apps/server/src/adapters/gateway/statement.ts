// The gateway's statement: payments and refunds, oldest first, in pages.
import { formatDecimal } from '#kernel/decimal'
import type { CallContext, Read, StatementLine, StatementWindow } from '#ports/deposits'
import { unavailable } from '../shared/deposit-calls.ts'
import { toDepositId } from '../shared/deposit-ids.ts'
import { fieldsOf, listOf, own, textOf } from '../shared/reader.ts'
import { positiveOf } from './amounts.ts'
import { type CallGateway, unreadable } from './calls.ts'
import { settlementRefOf } from './order.ts'

const PAGE_SIZE = 100
/** More movements than this in one window, and it says nothing. */
const MOST_PAGES = 200

export async function readStatement(
  { from, until }: StatementWindow,
  call: CallGateway,
  context: CallContext,
): Promise<Read<readonly StatementLine[]>> {
  const bills: unknown[] = []
  for (let page = 1; ; page += 1) {
    if (page > MOST_PAGES) return unavailable('the statement is too long')
    const query = {
      startTime: String(from.getTime()),
      endTime: String(until.getTime()),
      page: String(page),
      count: String(PAGE_SIZE),
    }
    const path = '/v1/pay/bill/list'
    const answer = await call({ operation: 'read statement', path, query }, context)
    if (answer.kind !== 'success') return unreadable(answer)
    const found = listOf(own(fieldsOf(answer.data) ?? {}, 'bills'))
    if (found === null) return unavailable('the statement is no list')
    bills.push(...found)
    if (found.length < PAGE_SIZE) break
  }
  return readBills(bills)
}

/** All of them, or a sentence that says which cannot be read. */
function readBills(bills: readonly unknown[]): Read<readonly StatementLine[]> {
  const timesSeen = new Map<string, number>()
  const lines: StatementLine[] = []
  for (const bill of bills) {
    const fields = fieldsOf(bill) ?? {}
    const text = (name: string): string | null => textOf(own(fields, name))
    const [billId, prepayId, currency] = [text('billId'), text('prepayId'), text('currency')]
    const amount = positiveOf(own(fields, 'amount'))
    const atMs = Number(text('time'))
    const type = text('type')
    if (billId === null || prepayId === null || currency === null || amount === null) {
      return unavailable('a line of the statement is unreadable')
    }
    if (!Number.isSafeInteger(atMs) || (type !== 'PAY' && type !== 'REFUND')) {
      return unavailable('a line of the statement has no time or kind')
    }
    const times = (timesSeen.get(`${prepayId}/${billId}`) ?? 0) + 1
    timesSeen.set(`${prepayId}/${billId}`, times)
    lines.push({
      kind: type === 'PAY' ? 'payment' : 'refund',
      ref: type === 'PAY' ? settlementRefOf(prepayId, billId, times) : billId,
      orderId: toDepositId(own(fields, 'merchantTradeNo')),
      currency,
      amountToken: formatDecimal(amount),
      at: new Date(atMs),
    })
  }
  return { kind: 'read', value: lines }
}
