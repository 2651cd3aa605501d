// A gateway and an on-ramp that a test scripts through the ports: what they hold is set by hand, and each
// answer can be lost. The real protocols are tested against the sandbox's providers.
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import type {
  GatewayOrder,
  GatewayOrderState,
  OnrampOrder,
  OnrampProvider,
  OrderKey,
  PaymentGateway,
  ProviderRefund,
  Read,
  SettledPayment,
  StatementMovement,
} from '../ports.ts'

const ONE = 10n ** 18n

export interface ScriptedGateway extends PaymentGateway {
  readonly orders: Map<string, GatewayOrder>
  readonly created: string[]
  /** What happens to the next creation. */
  next: 'answers' | 'loses-answer' | 'loses-request' | 'refuses' | 'not-sent'
  isOnline: boolean
  /** Where the next order is paid to. */
  nextAddress: string
  /** Lines of the statement beside those of the orders' payments. */
  extraLines: StatementMovement[]
  /** How a line that the statement has is shown. */
  showLine: (line: StatementMovement) => StatementMovement
  usdPerTokenE18: bigint
  /** What a creation waits for before the provider's turn. */
  beforeTurn?: () => Promise<void>
  /** Runs once, after the answer to the next look-up was made. */
  afterNextRead: () => void
  set(depositId: string, change: Partial<GatewayOrder>): void
  pay(
    depositId: string,
    amountToken: string,
    given?: Partial<SettledPayment> & { readonly state?: GatewayOrderState },
  ): void
  refund(depositId: string, amountToken: string, state?: ProviderRefund['state']): void
}

const linesOf = ({ orderId, prepayId, payments }: GatewayOrder): StatementMovement[] =>
  payments.map(({ settlementRef, amountToken, paidAt }) => ({
    ...{ kind: 'payment', ref: settlementRef, providerOrderId: prepayId, orderId },
    ...{ currency: 'USDT', amountToken, at: paidAt },
  }))

const away = { kind: 'unavailable', detail: 'away', retryAfterMs: 0 } as const

export function scriptedGateway(now: () => Date): ScriptedGateway {
  const orders = new Map<string, GatewayOrder>()
  const created: string[] = []
  const get = (id: string): GatewayOrder => {
    const order = orders.get(id)
    if (order === undefined) throw new Error(`no order ${id}`)
    return order
  }
  const set = (id: string, change: Partial<GatewayOrder>): void => {
    orders.set(id, { ...get(id), ...change })
  }
  const gateway: ScriptedGateway = {
    traits: { lookUpSettleMs: 5000, absentLookUps: 2, noticeReceipt: { returnCode: 'SUCCESS' } },
    orders,
    created,
    next: 'answers',
    isOnline: true,
    nextAddress: 'TAddress',
    extraLines: [],
    showLine: (line) => line,
    usdPerTokenE18: ONE,
    afterNextRead: () => {},
    listCurrencies: async () => ({
      kind: 'read',
      value: [
        {
          currency: 'USDT',
          chains: [
            { chain: 'TRX', displayName: 'Tron', explorerUrl: null, fullCurrType: 'USDT_TRX' },
            { chain: 'BSC', displayName: 'BNB', explorerUrl: null, fullCurrType: 'USDT_BSC' },
          ],
          isStable: true,
          minDeposit: cents(500n),
        },
        {
          currency: 'BTC',
          chains: [
            { chain: 'BTC', displayName: 'Bitcoin', explorerUrl: null, fullCurrType: 'BTC' },
          ],
          isStable: false,
          minDeposit: cents(1000n),
        },
      ],
    }),
    quote: async () =>
      gateway.isOnline
        ? {
            kind: 'read',
            value: { usdPerTokenE18: gateway.usdPerTokenE18, tokenDigits: 6, feeBps: 100 },
          }
        : away,
    createOrder: async (order, { guard }) => {
      await gateway.beforeTurn?.()
      if (!(await guard.begin())) return { kind: 'not-sent', detail: 'its lease is over' }
      const how = gateway.next
      gateway.next = 'answers'
      if (how === 'not-sent' || !gateway.isOnline) return { kind: 'not-sent', detail: 'away' }
      if (how === 'refuses') return { kind: 'refused', because: 'rejected', detail: 'no' }
      if (how === 'loses-request') return { kind: 'unknown', detail: 'timeout' }
      const placed: GatewayOrder = {
        ...order,
        prepayId: newId(),
        address: {
          network: order.chain,
          token: order.currency,
          fullCurrType: `${order.currency}_${order.chain}`,
          address: gateway.nextAddress,
        },
        whitelabelUrl: 'https://pay.example/1',
        qrContent: gateway.nextAddress,
        state: 'waiting',
        detail: null,
        payments: [],
        refunds: [],
        contradiction: null,
      }
      orders.set(order.orderId, placed)
      created.push(order.orderId)
      if (how === 'loses-answer') {
        gateway.isOnline = false
        return { kind: 'unknown', detail: 'timeout' }
      }
      return { kind: 'created', order: placed }
    },
    findOrder: async (key: OrderKey): Promise<Read<GatewayOrder | 'absent'>> => {
      if (!gateway.isOnline) return away
      const found =
        'orderId' in key
          ? orders.get(key.orderId)
          : [...orders.values()].find((order) => order.prepayId === key.providerOrderId)
      const after = gateway.afterNextRead
      gateway.afterNextRead = () => {}
      after()
      return { kind: 'read', value: found ?? 'absent' }
    },
    closeOrder: async () => {},
    readStatement: async ({ from, until }) =>
      gateway.isOnline
        ? {
            kind: 'read',
            value: [...orders.values()]
              .flatMap(linesOf)
              .concat(gateway.extraLines)
              .filter(({ at }) => at >= from && at <= until)
              .map(gateway.showLine),
          }
        : away,
    readNotice: (headers, rawBody) =>
      headers['x-signature'] === 'good'
        ? { kind: 'notice', order: { orderId: rawBody.toString() } }
        : { kind: 'bad_signature' },
    set,
    pay: (id, amountToken, { state = 'processing', ...given } = {}) =>
      set(id, {
        state,
        payments: [
          ...get(id).payments,
          {
            settlementRef: newId(),
            amountToken,
            token: null,
            valueUsdMicros: null,
            txHash: null,
            paidAt: now(),
            ...given,
          },
        ],
      }),
    refund: (id, amountToken, state = 'refunded') =>
      set(id, { refunds: [...get(id).refunds, { refundRef: newId(), state, amountToken }] }),
  }
  return gateway
}

export interface ScriptedOnramp extends OnrampProvider {
  ratePerUsdE18: bigint
  readonly orders: Map<string, OnrampOrder>
  set(depositId: string, change: Partial<OnrampOrder>): void
}

export function scriptedOnramp(): ScriptedOnramp {
  const orders = new Map<string, OnrampOrder>()
  const onramp: ScriptedOnramp = {
    ratePerUsdE18: ONE,
    traits: { lookUpSettleMs: 5000, absentLookUps: 2, noticeReceipt: null },
    orders,
    set: (id, change) => {
      const order = orders.get(id)
      if (order === undefined) throw new Error(`no order ${id}`)
      orders.set(id, { ...order, ...change })
    },
    quote: async ({ amount, payCurrency }) => {
      const receiveUsd = 'pay' in amount ? cents((amount.pay * 95n) / 100n) : amount.receiveUsd
      const pay = 'pay' in amount ? amount.pay : (receiveUsd * 100n) / 95n
      const quoted = { payCurrency, pay, receiveUsd, fee: pay - receiveUsd }
      return { kind: 'read', value: { ...quoted, ratePerUsdE18: onramp.ratePerUsdE18 } }
    },
    createSession: async ({ orderId }) => {
      const order: OnrampOrder = {
        orderId,
        recognitionId: orderId,
        providerOrderId: null,
        state: 'created',
        detail: null,
        payments: [],
        refunds: [],
      }
      orders.set(orderId, order)
      const widgetUrl = `https://ramp.example/${orderId}`
      return {
        kind: 'created',
        order: { providerOrderId: null, recognitionId: orderId, widgetUrl },
      }
    },
    findOrder: async (key) => ({
      kind: 'read',
      value: ('orderId' in key ? orders.get(key.orderId) : undefined) ?? 'absent',
    }),
    readStatement: async () => ({ kind: 'read', value: [] }),
    readNotice: () => ({ kind: 'bad_signature' }),
    configuration: async () => ({ kind: 'read', value: {} }),
  }
  return onramp
}
