// All orders of the on-ramp: stored when they change, moved by the agenda.
import { createAgenda } from '../kernel/agenda.ts'
import type { Clock } from '../kernel/clock.ts'
import { throwHex } from '../kernel/dice.ts'
import type { Store } from '../store/store.ts'
import { isUnderWay, isWaiting, nextStatus, type OnrampOrder, STATUS } from './order.ts'
import type { OnrampSettings } from './settings.ts'

export type NewOrder = Pick<
  OnrampOrder,
  | 'appId'
  | 'merchantRecognitionId'
  | 'coinCode'
  | 'network'
  | 'walletAddress'
  | 'fiatType'
  | 'fiatCents'
  | 'coinCents'
  | 'rateTenThousandths'
  | 'feeCents'
  | 'redirectUrl'
>

export interface OnrampOrders {
  create(order: NewOrder): OnrampOrder
  /** The payer begins the same payment once more. */
  again(order: OnrampOrder): OnrampOrder
  byId(orderId: number): OnrampOrder | undefined
  byHash(hash: string): OnrampOrder | undefined
  /** The latest of the merchant's id. */
  byRecognitionId(merchantRecognitionId: string): OnrampOrder | undefined
  /** Oldest first. */
  all(): readonly OnrampOrder[]
  /** The payer has paid; null when the order does not wait for it. */
  pay(order: OnrampOrder): OnrampOrder | null
  /** Ends at once with its tokens sent; null for an order that has ended. */
  complete(order: OnrampOrder, sentCents: number | null): OnrampOrder | null
  /** Ends at once with a code below zero; null for an order that has ended. */
  fail(order: OnrampOrder, status: number): OnrampOrder | null
  hideUntil(atMs: number): void
  isHidden(): boolean
  subscribe(listener: (after: OnrampOrder) => void): void
  runDue(): void
  nextDueMs(): number | null
}

const FIRST_ORDER_ID = 700_000

export function createOnrampOrders({
  store,
  clock,
  seed,
  settings,
  wrongAmount,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly seed: number
  readonly settings: OnrampSettings
  /** Tokens in hundredths that a script sends in place of the agreed ones; null when it does not. */
  readonly wrongAmount: () => number | null
}): OnrampOrders {
  const table = store.table('onramp_order')
  const orders: OnrampOrder[] = []
  const agenda = createAgenda<number>()
  const listeners: ((after: OnrampOrder) => void)[] = []
  let hiddenUntilMs = 0

  const keep = (order: OnrampOrder): void => {
    orders[order.seq - 1] = order
    if (order.dueMs !== null) agenda.add(order.dueMs, order.seq)
  }
  const change = (order: OnrampOrder): OnrampOrder => {
    store.atomically(() => {
      table.write(order.seq, JSON.stringify(order))
      for (const listener of listeners) listener(order)
    })
    keep(order)
    return order
  }
  const step = (
    order: OnrampOrder,
    status: number,
    sentCents: number | null = null,
  ): OnrampOrder => {
    const nowMs = clock.nowMs()
    const isComplete = status === STATUS.complete
    return change({
      ...order,
      status,
      updatedMs: nowMs,
      dueMs: nextStatus(status) === null ? null : nowMs + settings.stepMs,
      sentCents: isComplete ? (sentCents ?? wrongAmount() ?? order.coinCents) : order.sentCents,
      transactionHash: isComplete
        ? `0x${throwHex(64, seed, 'onramp-tx', order.orderId)}`
        : order.transactionHash,
    })
  }
  const hasEnded = (order: OnrampOrder): boolean => !isWaiting(order) && !isUnderWay(order)
  for (const { row } of table.rows()) keep(JSON.parse(row) as OnrampOrder)

  const create = (order: NewOrder): OnrampOrder => {
    const seq = orders.length + 1
    const orderId = FIRST_ORDER_ID + seq
    const nowMs = clock.nowMs()
    return change({
      ...order,
      ...{ seq, orderId, createdMs: nowMs, updatedMs: nowMs, sentCents: 0 },
      hash: throwHex(32, seed, 'onramp-hash', orderId),
      status: STATUS.created,
      dueMs: nowMs + settings.lifeMs,
      transactionHash: '',
    })
  }

  return {
    create,
    again: (order) => create(order),
    byId: (orderId) => orders[orderId - FIRST_ORDER_ID - 1],
    byHash: (hash) => orders.find((order) => order.hash === hash),
    byRecognitionId: (id) => orders.findLast((order) => order.merchantRecognitionId === id),
    all: () => orders,
    pay: (order) => (isWaiting(order) ? step(order, STATUS.depositSecured) : null),
    complete: (order, sentCents) =>
      hasEnded(order) ? null : step(order, STATUS.complete, sentCents),
    fail: (order, status) => (hasEnded(order) ? null : step(order, status)),
    hideUntil: (atMs) => {
      hiddenUntilMs = atMs
    },
    isHidden: () => clock.nowMs() < hiddenUntilMs,
    subscribe: (listener) => void listeners.push(listener),
    runDue() {
      for (;;) {
        const seq = agenda.takeDue(clock.nowMs())
        if (seq === undefined) return
        const order = orders[seq - 1]
        const to = order === undefined ? null : nextStatus(order.status)
        // The payer or the control interface may have moved it before.
        if (order?.dueMs != null && order.dueMs <= clock.nowMs() && to !== null) step(order, to)
      }
    },
    nextDueMs: () => agenda.nextAtMs(),
  }
}
