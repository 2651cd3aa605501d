// A fresh read of one order: the only source of credits. What has arrived is listed in the answer; where its
// sum says that more or less has come, the details of the transactions are asked for.
import type { CallContext, GatewayOrder, OrderKey, Read } from '#ports/deposits'
import { unavailable } from '../shared/deposit-calls.ts'
import { toProviderId } from '../shared/deposit-ids.ts'
import { type CallGateway, unreadable } from './calls.ts'
import { listedIn, type ReadOrder, readOrder, withPayments } from './order.ts'

export interface FindTools {
  readonly call: CallGateway
  readonly context: CallContext
}

const NOT_FOUND = '400202'
/** What arrives between the two answers makes them differ: both are read once more. */
const ROUNDS = 2

export async function findOrder(
  key: OrderKey,
  tools: FindTools,
): Promise<Read<GatewayOrder | 'absent'>> {
  for (let round = 1; ; round += 1) {
    const found = await query(key, tools)
    if (found.kind === 'unavailable' || found.value === 'absent') return found as Read<'absent'>
    const { listed, total } = found.value
    if (listed.sum === total) return { kind: 'read', value: withPayments(found.value, listed) }
    const detail = await readDetail(found.value, tools)
    if (detail.kind === 'unavailable') return detail
    const { sum } = detail.value
    if (sum === total) return { kind: 'read', value: withPayments(found.value, detail.value) }
    if (round === ROUNDS) {
      return { kind: 'read', value: withPayments(found.value, listed, { detail: sum }) }
    }
  }
}

async function query(
  key: OrderKey,
  { call, context }: FindTools,
): Promise<Read<ReadOrder | 'absent'>> {
  const query =
    'orderId' in key
      ? { merchantTradeNo: toProviderId(key.orderId) }
      : { prepayId: key.providerOrderId }
  const path = '/v1/pay/address/query'
  const answer = await call({ operation: 'query order', path, query }, context)
  if (answer.kind === 'refusal' && answer.code === NOT_FOUND) {
    return { kind: 'read', value: 'absent' }
  }
  if (answer.kind !== 'success') return unreadable(answer)
  const read = readOrder(answer.data)
  if (typeof read === 'string') return unavailable(read)
  const { orderId, prepayId } = read.order
  const isAsked = 'orderId' in key ? orderId === key.orderId : prepayId === key.providerOrderId
  if (!isAsked) return unavailable('the answer is about another order')
  return { kind: 'read', value: read }
}

async function readDetail(order: ReadOrder, { call, context }: FindTools) {
  const { prepayId } = order.order
  const path = '/v1/pay/address/transactiondetail'
  const asked = { operation: 'query transactions', path, query: { prepayId } }
  const answer = await call(asked, context)
  if (answer.kind !== 'success') return unreadable(answer)
  const listed = listedIn(answer.data, order)
  return typeof listed === 'string'
    ? unavailable(listed)
    : ({ kind: 'read', value: listed } as const)
}
