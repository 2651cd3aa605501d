// The log of calls to suppliers: a market that remembers, for the operator's timeline, what it was asked
// and what it answered. No call waits for the log: calls are gathered and written together, so a crash may
// lose the last quarter of a second of it. The intents and answers that money hangs on are not kept here.

import type {
  CancelAnswer,
  LookUpAnswer,
  Market,
  OrderUpdate,
  Purchase,
  PurchaseAnswer,
} from '#buying'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { redactText } from '#infra/process/log'
import { createBoundedCache } from '#infra/process/memo'
import { insertCalls, type SupplierCall } from './store/calls.ts'

export interface CallLog {
  record(call: SupplierCall): void
  /** Everything recorded so far is written, or was reported as lost. */
  flush(): Promise<void>
}

export interface CallLogDeps {
  readonly db: Db
  readonly onLost?: (error: unknown, calls: number) => void
}

const GATHER_MS = 250
/** Beyond it the oldest are dropped: a database that is away must not fill the memory. */
const MAX_WAITING = 20_000

export function createCallLog({ db, onLost = () => {} }: CallLogDeps): CallLog {
  let waiting: SupplierCall[] = []
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()

  const write = (): Promise<void> => {
    if (timer) clearTimeout(timer)
    timer = null
    const calls = waiting
    waiting = []
    if (calls.length === 0) return writing
    writing = writing.then(() =>
      insertCalls(db, calls).catch((error: unknown) => onLost(error, calls.length)),
    )
    return writing
  }

  return {
    record: (call) => {
      if (waiting.length >= MAX_WAITING) waiting.shift()
      waiting.push(call)
      timer ??= setTimeout(() => void write(), GATHER_MS).unref()
    },
    flush: write,
  }
}

/** The market as it is, each of its answers about an order written down. */
export function withCallLog(
  market: Market,
  { log, clock }: { readonly log: CallLog; readonly clock: Clock },
): Market {
  const latest = rememberLatest()
  return {
    ...market,
    place: async (purchase, context) => {
      const startedAt = clock.now()
      const startedMs = performance.now()
      const answer = await market.place(purchase, context)
      if (isWithheld(answer)) return answer
      log.record({
        market: market.id,
        customId: purchase.customId,
        operation: 'place',
        startedAt,
        durationMs: performance.now() - startedMs,
        outcome: answer.kind,
        answer: { asked: viewPurchase(purchase), ...viewAnswer(answer) },
        requestId: context.requestId,
      })
      return answer
    },
    cancel: async (order, context) => {
      const startedAt = clock.now()
      const startedMs = performance.now()
      const answer = await market.cancel(order, context)
      if (isWithheld(answer)) return answer
      log.record({
        market: market.id,
        customId: order.customId,
        operation: 'cancel',
        startedAt,
        durationMs: performance.now() - startedMs,
        outcome: answer.kind,
        answer:
          answer.kind === 'canceled'
            ? { orderId: order.orderId }
            : { orderId: order.orderId, detail: redactText(answer.detail) },
        requestId: context.requestId,
      })
      return answer
    },
    lookUp: async (queries, context) => {
      const startedAt = clock.now()
      const startedMs = performance.now()
      const answer = await market.lookUp(queries, context)
      const durationMs = performance.now() - startedMs
      if (isWithheld(answer)) return answer
      for (const { customId, requestId = context.requestId } of queries) {
        const seen = viewLookUp(answer, customId)
        if (!latest.isNew(customId, `${seen.outcome} ${JSON.stringify(seen.answer)}`)) continue
        log.record({
          market: market.id,
          customId,
          operation: 'look-up',
          startedAt,
          durationMs,
          ...seen,
          requestId,
        })
      }
      return answer
    },
  }
}

/** What we did not ask, the supplier did not answer. */
const isWithheld = (answer: PurchaseAnswer | CancelAnswer | LookUpAnswer): boolean =>
  'withheld' in answer && answer.withheld !== undefined

const MAX_REMEMBERED = 50_000

/** Ten thousand open orders are looked at all day, and most looks say what the one before said. */
function rememberLatest(): { isNew(customId: string, answer: string): boolean } {
  const latest = createBoundedCache<string>(MAX_REMEMBERED)
  return {
    isNew: (customId, answer) => {
      if (latest.get(customId) === answer) return false
      latest.set(customId, answer)
      return true
    },
  }
}

/** Without the token, which opens the recipient's door. */
const viewPurchase = ({ rawListingId, ceilingMills, partner }: Purchase) => ({
  rawListingId,
  ceilingMills: String(ceilingMills),
  partner,
})

function viewAnswer(answer: PurchaseAnswer): Record<string, unknown> {
  switch (answer.kind) {
    case 'accepted':
      return { orderId: answer.orderId, paidMills: spelledOrNull(answer.paidMills) }
    case 'refused':
      return { code: answer.code, detail: redactText(answer.detail) }
    case 'unknown':
      return { detail: redactText(answer.detail) }
    case 'not-sent':
      return { detail: redactText(answer.detail), retryAfterMs: answer.retryAfterMs }
  }
}

function viewLookUp(
  answer: LookUpAnswer,
  customId: string,
): { outcome: string; answer: Record<string, unknown> } {
  if (answer.kind === 'unavailable') {
    return { outcome: 'unavailable', answer: { detail: redactText(answer.detail) } }
  }
  const update = answer.orders.get(customId)
  if (update === undefined) return { outcome: 'unreadable', answer: {} }
  if (update === 'absent') return { outcome: 'absent', answer: {} }
  return { outcome: update.state, answer: viewUpdate(update) }
}

function viewUpdate({
  paidMills,
  detail,
  state: _,
  ...update
}: OrderUpdate): Record<string, unknown> {
  return {
    ...update,
    paidMills: spelledOrNull(paidMills),
    detail: detail === null ? null : redactText(detail),
  }
}

const spelledOrNull = (amount: bigint | null): string | null =>
  amount === null ? null : String(amount)
