// What the gateway answers, with an order of the smallest amount, which is never paid and is closed again.

import type { SendGuard } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import {
  asExpected,
  type Check,
  type CheckContext,
  differs,
  type Finding,
  notTried,
} from '#kernel/check'
import { newId } from '#kernel/id'
import { cents, formatCents } from '#kernel/money'
import type { PaymentGateway, PlacedGatewayOrder } from '#ports/deposits'
import { fieldsOf, own } from '../shared/reader.ts'
import { type CallGateway, unreadable } from './calls.ts'

export interface DrillOptions {
  readonly call: CallGateway
  readonly gateway: PaymentGateway
  readonly clock: Clock
}

export type GatewayDrill = (guard: SendGuard) => readonly Check[]

const DAY_MS = 86_400_000
const ORDER_MS = 30 * 60_000
/** Of a stable coin. The provider may name a larger minimum. */
const ONE_DOLLAR = cents(100n)

export function createDrill({ call, gateway, clock }: DrillOptions): GatewayDrill {
  return (guard) => {
    const orderId = newId()
    let order: PlacedGatewayOrder | null = null
    const ofOrder =
      (look: (order: PlacedGatewayOrder, context: CheckContext) => Promise<Finding>) =>
      async (context: CheckContext): Promise<Finding> =>
        order === null ? notTried('there is no order') : look(order, context)

    return [
      {
        name: 'currencies and chains',
        async run(context) {
          const read = await gateway.listCurrencies(context)
          if (read.kind === 'unavailable') return differs(read.detail)
          const said = read.value.map(
            ({ currency, chains }) => `${currency} on ${chains.length} chains`,
          )
          return asExpected(said.join(', '))
        },
      },
      {
        name: 'create',
        async run(context) {
          const read = await gateway.listCurrencies(context)
          const listed = read.kind === 'read' ? read.value : []
          const usdt = listed.find(({ currency }) => currency === 'USDT')
          const chain = usdt?.chains[0]?.chain
          if (chain === undefined) return notTried('no chain of USDT is listed')
          const least = usdt?.minDeposit ?? ONE_DOLLAR
          const payAmount = formatCents(least > ONE_DOLLAR ? least : ONE_DOLLAR)
          const expiresAt = new Date(clock.now().getTime() + ORDER_MS)
          const wanted = { orderId, currency: 'USDT', chain, payAmount, expiresAt } as const
          const answer = await gateway.createOrder(wanted, { ...context, guard })
          if (answer.kind !== 'created') return differs(`${answer.kind}: ${answer.detail}`)
          order = answer.order
          return asExpected(`${payAmount} USDT on ${chain}`)
        },
      },
      {
        name: 'query',
        run: ofOrder(async (made, context) => {
          const read = await gateway.findOrder({ orderId }, context)
          if (read.kind === 'unavailable') return differs(read.detail)
          if (read.value === 'absent') return differs('the order is not found by our id')
          const { state, payments, contradiction, prepayId, address } = read.value
          if (contradiction !== null) return differs(contradiction)
          if (prepayId !== made.prepayId || address.address !== made.address.address) {
            return differs('another order or address than the create answered')
          }
          return state === 'waiting' && payments.length === 0
            ? asExpected('it waits, and nothing has arrived')
            : differs(`it is ${state}, with ${payments.length} payments`)
        }),
      },
      {
        name: 'transactiondetail',
        run: ofOrder(async ({ prepayId }, context) => {
          const path = '/v1/pay/address/transactiondetail'
          const asked = { operation: 'query transactions', path, query: { prepayId } }
          const answer = await call(asked, context)
          if (answer.kind !== 'success') return differs(unreadable(answer).detail)
          const detail = own(fieldsOf(answer.data) ?? {}, 'transactionDetail')
          const fields = fieldsOf(detail)
          return fields !== null && fieldsOf(own(fields, 'inTerm')) !== null
            ? asExpected('it has its two terms')
            : differs('it has no transactionDetail with inTerm')
        }),
      },
      {
        name: 'orderlist of a day',
        async run(context) {
          const until = clock.now()
          const from = new Date(until.getTime() - DAY_MS + 1)
          const read = await gateway.readStatement({ from, until }, context)
          if (read.kind === 'unavailable') return differs(read.detail)
          const others = read.value.filter(({ kind }) => kind === 'other').length
          return asExpected(`${read.value.length} lines, ${others} of them of other kinds`)
        },
      },
      {
        name: 'close',
        run: ofOrder(async (_made, context) => {
          await gateway.closeOrder(orderId, context)
          const read = await gateway.findOrder({ orderId }, context)
          if (read.kind === 'unavailable') return differs(read.detail)
          const state = read.value === 'absent' ? 'absent' : read.value.state
          return state === 'cancelled' || state === 'expired'
            ? asExpected(`it is ${state}`)
            : differs(`it is ${state} after it was closed: a payer could still pay it`)
        }),
      },
    ]
  }
}
