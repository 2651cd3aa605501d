// The adapter of a market that exists for the test beside it: JSON over HTTP, the key in a header, whole
// lists instead of live changes, no limit of calls.
import { setTimeout as pause } from 'node:timers/promises'
import type {
  MarketAccount,
  MarketTools,
  Supplier,
} from '../../../../apps/server/src/adapters/shared/market-definition.ts'
import { UNLIMITED } from '../../../../apps/server/src/adapters/shared/turn.ts'
import type { HttpOutcome } from '../../../../apps/server/src/infra/http/http-client.ts'
import { type Mills, mills } from '../../../../apps/server/src/kernel/money.ts'
import type {
  OrderUpdate,
  PurchaseAnswer,
} from '../../../../apps/server/src/modules/trading/buying/ports.ts'
import type {
  AccountReading,
  SourceListing,
} from '../../../../apps/server/src/modules/trading/catalog/ports.ts'
import type { Listed, ListedOrder } from './protocol.ts'

const DEADLINE_MS = 5000
const RETRY_MS = 1000

export function createMarketC(
  { http, clock }: MarketTools,
  { account, keyVersion, baseUrl, apiKey }: MarketAccount,
): Supplier {
  const call = (
    operation: string,
    { method = 'GET', ...more }: Partial<Parameters<typeof http.request>[0]> = {},
  ): Promise<HttpOutcome> =>
    http.request({
      provider: 'market_c',
      operation,
      method,
      url: `${baseUrl}/${operation}`,
      headers: { authorization: `Bearer ${apiKey}` },
      deadlineMs: DEADLINE_MS,
      ...more,
    })
  /** Throws unless the market serves it. */
  const read = async <Answer>(
    operation: string,
    more: Partial<Parameters<typeof http.request>[0]> = {},
  ): Promise<Answer> => {
    const outcome = await call(operation, more)
    if (outcome.kind !== 'answer') throw new Error(outcome.detail)
    if (outcome.status !== 200) throw new Error(`status ${outcome.status}`)
    return JSON.parse(outcome.body) as Answer
  }
  const readBalance = async (): Promise<Mills> =>
    mills(BigInt((await read<{ mills: number }>('balance')).mills))
  const readAccount = async (): Promise<AccountReading> => {
    const askedAt = clock.now()
    const balanceMills = await readBalance()
    return { askedAt, said: { kind: 'served', balanceMills, currency: 'USD' } }
  }
  const attempt = async <Answer>(
    work: () => Promise<Answer>,
  ): Promise<Answer | { kind: 'unavailable'; detail: string; retryAfterMs: number }> =>
    work().catch((error: unknown) => ({
      kind: 'unavailable',
      detail: String(error),
      retryAfterMs: RETRY_MS,
    }))

  return {
    market: {
      id: 'market_c',
      account,
      keyVersion,
      traits: {
        repeats: 'reject-duplicate',
        lookUpSettleMs: 2000,
        absentLookUps: 2,
        lookUpBatch: 100,
        pollMs: 200,
        offerPollMs: 200,
        ordersPerMinute: null,
        cancelAfterMs: null,
      },
      takeTurns: async (most) => ({
        kind: 'turns',
        turns: Array.from({ length: most }, () => UNLIMITED),
      }),
      place: async (purchase, { guard, turn, requestId }) => {
        if (!(await guard.begin()))
          return { kind: 'not-sent', detail: 'taken over', retryAfterMs: 0, withheld: 'taken_over' }
        const outcome = await call('orders', {
          method: 'POST',
          body: { ...purchase, ceilingMills: Number(purchase.ceilingMills) },
          context: { requestId, lease: guard },
        })
        turn.end()
        return placedBy(outcome)
      },
      lookUp: (queries) =>
        attempt(async () => {
          const ids = queries.map(({ customId }) => customId)
          const orders = await read<ListedOrder[]>('orders', { query: { id: ids } })
          const found = new Map(orders.map((order) => [order.customId, updateOf(order)]))
          return {
            kind: 'read' as const,
            orders: new Map(ids.map((id) => [id, found.get(id) ?? ('absent' as const)])),
          }
        }),
      cancel: async () => ({ kind: 'refused', because: 'other', detail: 'no such call' }),
      balance: async () => {
        const balance = await attempt(async () => ({ mills: await readBalance() }))
        return 'mills' in balance ? balance : { unavailable: balance.detail }
      },
    },
    feed: {
      id: 'market_c',
      resyncMs: 5000,
      snapshot: async function* () {
        yield (await read<Listed[]>('listings')).map(listingOf)
      },
      changes: async function* (signal) {
        await pause(2 ** 31 - 1, undefined, { signal, ref: false }).catch(() => {})
        yield* []
      },
      health: async () => {
        const account = await attempt(readAccount)
        if ('kind' in account)
          return { online: false, balanceMills: null, account: null, detail: 'away' }
        const { said } = account
        const balanceMills = said.kind === 'served' ? said.balanceMills : null
        return { online: true, balanceMills, account, detail: 'ok' }
      },
    },
    statements: {
      id: 'market_c',
      account,
      traits: { settleMs: 2000, keptOnUserReversalBps: null },
      read: (from) =>
        attempt(async () => {
          const orders = await read<ListedOrder[]>('orders')
          const lines = orders
            .map(({ id, customId, placedAt, paidMills, state }) => ({
              orderId: id,
              customId,
              placedAt: new Date(placedAt),
              paidMills: mills(BigInt(paidMills)),
              state: state === 'delivered' ? ('completed' as const) : ('open' as const),
              returnedMills: null,
              detail: state,
            }))
            .filter(({ placedAt }) => placedAt >= from)
          return { kind: 'read' as const, lines, isWhole: true }
        }),
    },
    readAccount,
    breaker: { state: () => 'closed' },
    drill: () => [],
  }
}

function placedBy(outcome: HttpOutcome): PurchaseAnswer {
  if (outcome.kind === 'not-sent') return { ...outcome, retryAfterMs: RETRY_MS }
  if (outcome.kind === 'lost') return { kind: 'unknown', detail: outcome.detail }
  if (outcome.status !== 200)
    return { kind: 'refused', code: 'LISTING_UNAVAILABLE', detail: `status ${outcome.status}` }
  const { id, paidMills } = JSON.parse(outcome.body) as ListedOrder
  return { kind: 'accepted', orderId: id, paidMills: mills(BigInt(paidMills)) }
}

const updateOf = ({ id, paidMills, state }: ListedOrder): OrderUpdate => ({
  orderId: id,
  state: state === 'delivered' ? 'completed' : 'active',
  paidMills: mills(BigInt(paidMills)),
  offerId: id,
  failure: null,
  revertedBy: null,
  detail: null,
  review: false,
})

const listingOf = ({ id, marketHashName, priceMills }: Listed): SourceListing => ({
  market: 'market_c',
  rawId: id,
  marketHashName,
  phase: null,
  priceMills: mills(BigInt(priceMills)),
  assetId: null,
  classId: null,
  instanceId: null,
  wear: null,
  paintSeed: null,
  paintIndex: null,
  stickers: [],
  charm: null,
  inspectToken: null,
  delivery: 'standard',
})
