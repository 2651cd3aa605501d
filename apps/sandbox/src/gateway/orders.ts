// All orders of the gateway: stored when they change, moved by the agenda, announced by notices.
import { createAgenda } from '../kernel/agenda.ts'
import type { Clock } from '../kernel/clock.ts'
import { throwHex } from '../kernel/dice.ts'
import type { Store } from '../store/store.ts'
import { addressFor, currencyOf, fullCurrType, priceMicros } from './currencies.ts'
import {
  afterExpiry,
  afterPaymentDue,
  creditedMicros,
  type GatewayOrder,
  type PaymentFault,
  type Refund,
  withPayment,
} from './order.ts'
import type { GatewaySettings } from './settings.ts'

export type NewOrder = Pick<
  GatewayOrder,
  | 'merchantTradeNo'
  | 'merchantUserId'
  | 'goodsName'
  | 'chain'
  | 'currency'
  | 'orderMicros'
  | 'payCurrency'
  | 'payMicros'
  | 'expireMs'
>

export interface GatewayOrders {
  create(order: NewOrder): GatewayOrder
  byPrepayId(prepayId: string): GatewayOrder | undefined
  byTradeNo(merchantTradeNo: string): GatewayOrder | undefined
  /** Newest first. */
  all(): readonly GatewayOrder[]
  /** A transfer to the order's address. */
  pay(
    order: GatewayOrder,
    amountMicros: number,
    given: { readonly fault: PaymentFault | null; readonly txId: string | null },
  ): GatewayOrder
  expire(order: GatewayOrder): GatewayOrder
  close(order: GatewayOrder): GatewayOrder
  refund(order: GatewayOrder, amountMicros: number, state: Refund['state']): GatewayOrder
  /** Hidden from look-ups until then, as after a slow replica. */
  hideUntil(atMs: number): void
  isHidden(order: GatewayOrder): boolean
  subscribe(listener: (after: GatewayOrder, before: GatewayOrder | null) => void): void
  runDue(): void
  nextDueMs(): number | null
}

interface Due {
  readonly seq: number
  /** Index of the payment; null for the end of the order's time. */
  readonly payment: number | null
}

export interface GatewayOrdersDeps {
  readonly store: Store
  readonly clock: Clock
  readonly seed: number
  readonly settings: GatewaySettings
}

export function createGatewayOrders(deps: GatewayOrdersDeps): GatewayOrders {
  const { clock, seed, settings } = deps
  const { all, byTradeNo, change, subscribe, runDue, nextDueMs } = createKeptOrders(deps)
  let hiddenUntilMs = 0
  return {
    create(order) {
      const seq = all().length + 1
      const prepayId = String(48_000_000_000_000_000n + BigInt(seq) * 1_024n)
      return change(null, {
        ...order,
        seq,
        prepayId,
        fullCurrType: fullCurrType(order.payCurrency, order.chain),
        address: addressFor(order.chain, seed, prepayId),
        createdMs: clock.nowMs(),
        status: 'PENDING',
        transactMs: null,
        payments: [],
        refunds: [],
      })
    },
    byPrepayId: (prepayId) => all().find((order) => order.prepayId === prepayId),
    byTradeNo,
    all: () => all().toReversed(),
    pay(order, amountMicros, { fault, txId }) {
      const nowMs = clock.nowMs()
      const number = order.payments.length + 1
      return change(
        order,
        withPayment(order, {
          txId: txId ?? `0x${throwHex(64, seed, 'gateway-tx', order.prepayId, number)}`,
          fromAddress: `0x${throwHex(40, seed, 'gateway-payer', order.prepayId, number)}`,
          amountMicros,
          arrivedMs: nowMs,
          dueMs: nowMs + settings.confirmMs,
          state: 'confirming',
          usdtMicros: null,
          isLate: false,
          fault,
        }),
      )
    },
    expire: (order) => change(order, afterExpiry(order)),
    close: (order) =>
      order.status === 'PENDING' && order.payments.length === 0
        ? change(order, { ...order, status: 'CLOSED' })
        : order,
    refund(order, amountMicros, state) {
      const number = order.refunds.length + 1
      const refundId = `R${order.prepayId}${number}`
      const refund: Refund = { refundId, amountMicros, state, atMs: clock.nowMs() }
      return change(order, { ...order, refunds: [...order.refunds, refund] })
    },
    hideUntil: (atMs) => {
      hiddenUntilMs = atMs
    },
    isHidden: () => clock.nowMs() < hiddenUntilMs,
    subscribe,
    runDue,
    nextDueMs,
  }
}

type Listener = Parameters<GatewayOrders['subscribe']>[0]

/** Every order with its stored row and the moments at which it moves by itself. */
function createKeptOrders({ store, clock, seed, settings }: GatewayOrdersDeps) {
  const table = store.table('gateway_order')
  const orders: GatewayOrder[] = []
  const seqByTradeNo = new Map<string, number>()
  const agenda = createAgenda<Due>()
  const listeners: Listener[] = []

  const keep = (order: GatewayOrder): void => {
    orders[order.seq - 1] = order
    seqByTradeNo.set(order.merchantTradeNo, order.seq)
  }
  const plan = (order: GatewayOrder): void => {
    if (order.status === 'PENDING') agenda.add(order.expireMs, { seq: order.seq, payment: null })
    for (const [payment, { state, dueMs }] of order.payments.entries()) {
      if (state === 'confirming' || state === 'delayed') {
        agenda.add(dueMs, { seq: order.seq, payment })
      }
    }
  }
  const change = (before: GatewayOrder | null, after: GatewayOrder): GatewayOrder => {
    if (after === before) return after
    store.atomically(() => {
      table.write(after.seq, JSON.stringify(after))
      keep(after)
      for (const listener of listeners) listener(after, before)
    })
    plan(after)
    return after
  }
  const moved = (order: GatewayOrder, { payment }: Due): GatewayOrder => {
    if (payment === null) return afterExpiry(order)
    const { state, dueMs } = order.payments[payment] ?? {}
    // The control interface or an earlier entry may have moved it before.
    if ((state !== 'confirming' && state !== 'delayed') || dueMs === undefined) return order
    const nowMs = clock.nowMs()
    if (dueMs > nowMs) return order
    const nowPriceMicros = priceOf(order, nowMs, seed)
    return afterPaymentDue(order, payment, {
      ...{ nowMs, nowPriceMicros },
      convertMs: settings.convertMs,
    })
  }
  for (const { row } of table.rows()) {
    const order = JSON.parse(row) as GatewayOrder
    keep(order)
    plan(order)
  }
  const bySeq = (seq: number | undefined): GatewayOrder | undefined =>
    seq === undefined ? undefined : orders[seq - 1]

  return {
    /** Oldest first. */
    all: (): readonly GatewayOrder[] => orders,
    byTradeNo: (tradeNo: string) => bySeq(seqByTradeNo.get(tradeNo)),
    change,
    subscribe: (listener: Listener): void => void listeners.push(listener),
    runDue(): void {
      for (;;) {
        const due = agenda.takeDue(clock.nowMs())
        if (due === undefined) return
        const order = bySeq(due.seq)
        if (order !== undefined) change(order, moved(order, due))
      }
    },
    nextDueMs: () => agenda.nextAtMs(),
  }
}

function priceOf({ payCurrency }: GatewayOrder, nowMs: number, seed: number): number {
  const currency = currencyOf(payCurrency)
  return currency === undefined ? 1_000_000 : priceMicros(currency, nowMs, seed)
}

export const feeMicros = (order: GatewayOrder, feeBps: number): number =>
  Math.ceil((creditedMicros(order) * feeBps) / 10_000)

/** What a refund of everything gives back, in the currency of the payer. */
export const paidMicros = (order: GatewayOrder): number =>
  order.payments
    .filter(({ state }) => state === 'done')
    .reduce((sum, { amountMicros }) => sum + amountMicros, 0) -
  order.refunds
    .filter(({ state }) => state !== 'REFUND_REJECTED')
    .reduce((sum, { amountMicros }) => sum + amountMicros, 0)
