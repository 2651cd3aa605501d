// The provider's history of our orders. It finds an order by its own id only: by ours, the history since the
// order began is read.
import type {
  CallContext,
  OnrampOrder,
  Read,
  StatementLine,
  StatementWindow,
} from '#ports/deposits'
import { unavailable } from '../shared/deposit-calls.ts'
import { toDepositId, toProviderId } from '../shared/deposit-ids.ts'
import { fieldsOf, listOf, own, textOf } from '../shared/reader.ts'
import type { CallOnramp } from './calls.ts'
import { combine, type ReadOrder, readRow } from './order.ts'

export interface HistoryTools {
  readonly call: CallOnramp
  readonly appId: string
  readonly wallet: string
  readonly context: CallContext
}

const PAGE_SIZE = 500
/** More orders than these since one of ours began, and a look-up says nothing. */
const MOST_PAGES = 8
/** Our clock and the provider's may differ. */
const CLOCK_DRIFT_MS = 120_000
/** From the beginning of an order to its tokens, at most. */
const LONGEST_ORDER_MS = 48 * 3_600_000

/** Of our application: other ones of the account have a history with ours. */
async function readHistory(
  sinceMs: number,
  { call, appId, context }: HistoryTools,
): Promise<Read<readonly unknown[]>> {
  const rows: unknown[] = []
  for (let page = 1; ; page += 1) {
    if (page > MOST_PAGES) return unavailable('the history is too long')
    const since = new Date(sinceMs - CLOCK_DRIFT_MS).toISOString()
    const body = { page, pageSize: PAGE_SIZE, since, order: 'ASC', type: 1 }
    const path = '/onramp/api/v1/transaction/merchantHistory'
    const answer = await call({ operation: 'read history', path, body }, context)
    if (answer.kind === 'refusal') return unavailable(answer.detail)
    if (answer.kind !== 'success') return unavailable(answer.detail, answer.retryAfterMs)
    const found = listOf(answer.data)
    if (found === null) return unavailable('the history is no list')
    rows.push(...found.filter((row) => isOf(row, appId)))
    if (found.length < PAGE_SIZE) return { kind: 'read', value: rows }
  }
}

/** A row that names no application may be ours. */
function isOf(row: unknown, appId: string): boolean {
  const named = textOf(own(fieldsOf(row) ?? {}, 'appId'))
  return named === null || named === appId
}

/** One row that cannot be read makes all of them unusable: it is money. */
function readRows(rows: readonly unknown[], wallet: string): Read<readonly ReadOrder[]> {
  const orders = rows.map((row) => readRow(row, wallet))
  const fault = orders.find((order) => typeof order === 'string')
  if (fault !== undefined) return unavailable(fault)
  return { kind: 'read', value: orders.filter((order) => typeof order !== 'string') }
}

export async function findByRecognitionId(
  orderId: string,
  tools: HistoryTools,
): Promise<Read<OnrampOrder | 'absent'>> {
  const recognitionId = toProviderId(orderId)
  // Our ids carry the time at which the order began.
  const history = await readHistory(Number.parseInt(recognitionId.slice(0, 12), 16), tools)
  if (history.kind === 'unavailable') return history
  const ownRows = history.value.filter(
    (row) => textOf(own(fieldsOf(row) ?? {}, 'merchantRecognitionId')) === recognitionId,
  )
  const orders = readRows(ownRows, tools.wallet)
  if (orders.kind === 'unavailable') return orders
  const value = orders.value.length === 0 ? 'absent' : combine(orderId, orders.value)
  return { kind: 'read', value }
}

/** The tokens that were sent to us in a window. A card payment that is returned is in no history. */
export async function readStatement(
  { from, until }: StatementWindow,
  tools: HistoryTools,
): Promise<Read<readonly StatementLine[]>> {
  const history = await readHistory(from.getTime() - LONGEST_ORDER_MS, tools)
  if (history.kind === 'unavailable') return history
  const orders = readRows(history.value, tools.wallet)
  if (orders.kind === 'unavailable') return orders
  const lines = orders.value.flatMap(({ payment, recognitionId }): StatementLine[] => {
    if (payment === null || payment.paidAt < from || payment.paidAt > until) return []
    const { settlementRef: ref, amountToken, token, paidAt: at } = payment
    const orderId = toDepositId(recognitionId)
    const movement = { ref, providerOrderId: ref, orderId, amountToken, at }
    return [{ kind: 'payment', currency: token ?? '', ...movement }]
  })
  return { kind: 'read', value: lines }
}
