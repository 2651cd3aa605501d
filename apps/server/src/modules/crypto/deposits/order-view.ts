// An order as its provider reports it, in one form for gateway and on-ramp. Everything here is pure.
import { unreachable } from '#kernel/assert'
import type { DepositSubstate, FailureReason } from './deposit.ts'
import type { GatewayOrder, OnrampOrder, ProviderRefund, SettledPayment } from './ports.ts'

export interface OrderView {
  readonly orderId: string
  readonly providerOrderId: string | null
  /** A payment was seen, settled or not. */
  readonly isPaymentSeen: boolean
  /** The provider will take nothing more on its own: what is settled by now is what came. */
  readonly isOver: boolean
  /** It ended without being paid: `expired`, or why it failed. */
  readonly end: 'expired' | FailureReason | null
  readonly substate: DepositSubstate | null
  readonly payments: readonly SettledPayment[]
  readonly refunds: readonly ProviderRefund[]
  /** What the order must be about, as the provider repeats it; null where it does not. */
  readonly token: string | null
  readonly chain: string | null
  /** What the provider's own figures disagree about; null: nothing. */
  readonly contradiction: string | null
}

type Progress = Pick<OrderView, 'isPaymentSeen' | 'isOver' | 'end' | 'substate'>

const progress = (given: Partial<Progress>): Progress => ({
  isPaymentSeen: false,
  isOver: false,
  end: null,
  substate: null,
  ...given,
})

export function gatewayView(order: GatewayOrder): OrderView {
  return {
    orderId: order.orderId,
    providerOrderId: order.prepayId,
    ...gatewayProgress(order),
    payments: order.payments,
    refunds: order.refunds,
    token: order.currency,
    chain: order.chain,
    contradiction: order.contradiction,
  }
}

function gatewayProgress({ state }: GatewayOrder): Progress {
  switch (state) {
    case 'waiting':
      return progress({})
    case 'processing':
      return progress({ isPaymentSeen: true, substate: 'processing' })
    case 'part_paid':
      return progress({ isPaymentSeen: true })
    case 'conversion_delay':
      return progress({ isPaymentSeen: true, substate: 'conversion_delay' })
    case 'paid':
      return progress({ isPaymentSeen: true, isOver: true })
    case 'expired':
    case 'cancelled':
      return progress({ isOver: true, end: 'expired' })
    case 'failed':
      return progress({ isOver: true, end: 'payment_failed' })
    case 'blocked':
      return progress({ isOver: true, end: 'payment_blocked' })
    case 'exchange_failed':
      return progress({ isOver: true, end: 'exchange_failed', substate: 'exchange_failed' })
    default:
      return unreachable(state)
  }
}

export function onrampView(order: OnrampOrder): OrderView {
  return {
    orderId: order.orderId,
    providerOrderId: order.providerOrderId,
    ...onrampProgress(order),
    payments: order.payments,
    refunds: order.refunds,
    token: null,
    chain: null,
    contradiction: null,
  }
}

function onrampProgress({ state }: OnrampOrder): Progress {
  switch (state) {
    case 'created':
      return progress({})
    case 'in_progress':
      return progress({ isPaymentSeen: true, substate: 'processing' })
    case 'completed':
    case 'refunded':
      return progress({ isPaymentSeen: true, isOver: true })
    case 'abandoned':
    case 'timed_out':
    case 'name_mismatch':
    case 'amount_mismatch':
      return progress({ isOver: true, end: state })
    case 'failed':
      return progress({ isOver: true, end: 'payment_failed' })
    default:
      return unreachable(state)
  }
}
