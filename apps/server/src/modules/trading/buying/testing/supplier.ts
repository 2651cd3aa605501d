// A supplier that answers exactly as a test scripts it: for the answers that no sandbox gives on demand,
// such as an order that is forgotten, or one that turns up a day late.
import { mills } from '#kernel/money'
import type {
  CancelAnswer,
  CancelRequest,
  LookUpAnswer,
  Market,
  OrderQuery,
  OrderUpdate,
  Purchase,
  PurchaseAnswer,
  PurchaseTurn,
} from '../ports.ts'

export interface ScriptedSupplier extends Market {
  readonly purchases: Purchase[]
  readonly queries: OrderQuery[]
  /** What the next purchases are answered; accepted when nothing is said. */
  readonly answers: (PurchaseAnswer | Promise<PurchaseAnswer> | Error)[]
  /** What a look-up shows, by custom id. */
  readonly orders: Map<string, OrderUpdate>
  /** Orders of which it says something that makes no sense: a look-up leaves them out. */
  readonly garbled: Set<string>
  online: boolean
  /** What the caller waits for before it begins its order, and between that and the first byte. */
  beforeTurn?: (purchase: Purchase) => Promise<void>
  afterTurn?: (purchase: Purchase) => Promise<void>
  /** Of a purchase. */
  deadlineMs: number
  readonly cancels: CancelRequest[]
  /** What the next cancels are answered; canceled when nothing is said. */
  readonly cancelAnswers: (CancelAnswer | Promise<CancelAnswer>)[]
}

export const orderUpdate = (
  state: OrderUpdate['state'],
  overrides: Partial<OrderUpdate> = {},
): OrderUpdate => ({
  orderId: '4711',
  state,
  paidMills: mills(10_000n),
  offerId: null,
  failure: null,
  revertedBy: null,
  detail: null,
  review: false,
  ...overrides,
})

/** Of a market without a limit. */
export const openTurn: PurchaseTurn = {
  isFresh: () => true,
  end: () => {},
  giveBack: () => {},
}

const NOT_SENT = { kind: 'not-sent', detail: 'taken over', retryAfterMs: 1_000 } as const

export function scriptedSupplier(
  of: Pick<Market, 'account' | 'keyVersion'> = { account: 'main', keyVersion: 1 },
): ScriptedSupplier {
  const supplier: ScriptedSupplier = {
    id: 'market_b',
    ...of,
    traits: {
      repeats: 'reject-duplicate',
      lookUpSettleMs: 60_000,
      absentLookUps: 2,
      lookUpBatch: 100,
      pollMs: 1_000,
      offerPollMs: 1_000,
      ordersPerMinute: null,
      cancelAfterMs: 3_000,
    },
    purchases: [],
    queries: [],
    answers: [],
    orders: new Map(),
    garbled: new Set(),
    online: true,
    deadlineMs: 10_000,
    cancels: [],
    cancelAnswers: [],
    takeTurns: async (most) => ({
      kind: 'turns',
      turns: Array.from({ length: most }, () => openTurn),
    }),
    place: async (purchase, { guard }) => {
      await supplier.beforeTurn?.(purchase)
      if (!(await guard.begin())) return NOT_SENT
      await supplier.afterTurn?.(purchase)
      if (guard.remainingMs() < supplier.deadlineMs) return NOT_SENT
      supplier.purchases.push(purchase)
      const answer = supplier.answers.shift()
      if (answer instanceof Error) throw answer
      if (answer) return answer
      supplier.orders.set(purchase.customId, orderUpdate('pending'))
      return { kind: 'accepted', orderId: '4711', paidMills: purchase.ceilingMills }
    },
    lookUp: async (queries): Promise<LookUpAnswer> => {
      supplier.queries.push(...queries)
      if (!supplier.online) return { kind: 'unavailable', detail: 'away', retryAfterMs: 5_000 }
      const orders = new Map(
        queries
          .filter(({ customId }) => !supplier.garbled.has(customId))
          .map(({ customId }) => [customId, supplier.orders.get(customId) ?? ('absent' as const)]),
      )
      return { kind: 'read', orders }
    },
    cancel: async (request, { guard }) => {
      if (!(await guard.begin())) return NOT_SENT
      supplier.cancels.push(request)
      const answer = supplier.cancelAnswers.shift()
      if (answer) return answer
      supplier.orders.set(request.customId, orderUpdate('canceled'))
      return { kind: 'canceled' }
    },
    balance: async () => ({ mills: mills(1_000_000n) }),
  }
  return supplier
}
