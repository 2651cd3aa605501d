// Calls with the key. The key travels in the query, a refusal arrives with status 200, and no call may
// go out without its turn.
import type { HttpClient, QueryValue } from '#infra/http/http-client'
import type { SendGuard } from '#infra/jobs/send-guard'
import type { CallContext, PurchaseTurn, Withheld } from '#ports/buying'
import type { AccountAccess } from '../shared/account-access.ts'
import type { Breaker } from '../shared/breaker.ts'
import type { Pacer, Urgency } from '../shared/pacer.ts'
import { parseJson, servedOf } from '../shared/reader.ts'
import { type Turn, UNLIMITED } from '../shared/turn.ts'
import { isBadKey } from './purchase-answer.ts'
import type { MarketASettings } from './settings.ts'

export interface KeyedCall {
  readonly method: string
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly urgency: Urgency
  readonly patienceMs: number
  readonly deadlineMs: number
  readonly maxBytes?: number
  readonly context: CallContext
  /** Of a call that moves money. */
  readonly guard?: SendGuard
  /** Of a call that was admitted before. */
  readonly turn?: PurchaseTurn
}

export type KeyedAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  | NotSent
  | { readonly kind: 'lost'; readonly detail: string }

interface NotSent {
  readonly kind: 'not-sent'
  readonly detail: string
  readonly retryAfterMs: number
  readonly withheld?: Withheld
}

export interface KeyedCalls {
  /** Turns for purchases: one, or as many as are asked for where there is no limit. */
  takeTurns(most: number, patienceMs: number, context: CallContext): Promise<Turn[] | NotSent>
  call(call: KeyedCall): Promise<KeyedAnswer>
}

const RETRY_UNSENT_MS = 1_000
const PROBE_DEADLINE_MS = 5_000

export function createKeyedCalls({
  settings,
  http,
  pacer,
  breaker,
  access,
}: {
  readonly settings: MarketASettings
  readonly http: HttpClient
  readonly pacer: Pacer
  readonly breaker: Breaker
  readonly access: AccountAccess
}): KeyedCalls {
  /** Lets the call go, or says why it does not. */
  const admit = async ({
    urgency,
    patienceMs,
    context,
  }: Pick<KeyedCall, 'urgency' | 'patienceMs' | 'context'>): Promise<Turn | NotSent> => {
    const kind = isOfMoney(urgency) ? 'purchase' : 'read'
    // A purchase that finds the breaker half open sends a look at our money before it.
    if (kind === 'purchase' && breaker.state() === 'half-open') {
      await call({
        method: 'get-money',
        urgency: 'look-up',
        patienceMs,
        deadlineMs: PROBE_DEADLINE_MS,
        context,
      })
    }
    const pass = breaker.admit(kind)
    if (pass.kind === 'wait') {
      const { retryAfterMs } = pass
      const detail = 'left alone after faults in a row'
      return { kind: 'not-sent', detail, retryAfterMs, withheld: 'breaker' }
    }
    const turn = await pacer.take(urgency, patienceMs, context.signal)
    if (turn !== null) return turn
    if (pass.kind === 'probe') breaker.ended('neither')
    return {
      kind: 'not-sent',
      detail: 'no turn within the call budget',
      retryAfterMs: RETRY_UNSENT_MS,
      withheld: 'pace',
    }
  }

  const call = async (wanted: KeyedCall): Promise<KeyedAnswer> => {
    const { method, query, urgency, deadlineMs, maxBytes, context, guard } = wanted
    const turn = wanted.turn ?? (await admit(wanted))
    if ('kind' in turn) return turn
    if (guard && !(await beginOrGiveBack(guard, turn))) {
      return withheld('taken_over', 'the work was taken over')
    }
    if (!turn.isFresh()) {
      turn.giveBack()
      return withheld('late', 'the turn within the call budget is over')
    }
    const outcome = await http
      .request({
        provider: 'market_a',
        operation: method,
        method: 'GET',
        url: `${settings.baseUrl}/api/v2/${method}`,
        query: { key: settings.apiKey, ...query },
        // Without a user agent, calls that write are answered 401.
        headers: { 'user-agent': 'Tradepost/1.0' },
        deadlineMs,
        ...(maxBytes === undefined ? {} : { maxBytes }),
        context: { ...context, lease: guard },
        ...(context.signal && { signal: context.signal }),
        routine: !isOfMoney(urgency),
      })
      .finally(turn.end)
    if (outcome.kind !== 'answer') {
      // A call that was held back because this process was suspended is no fault of the market's.
      if (outcome.kind === 'not-sent' && guard && guard.remainingMs() < deadlineMs)
        return withheld('late', outcome.detail)
      breaker.ended('fault')
      return outcome.kind === 'lost' ? outcome : { ...outcome, retryAfterMs: RETRY_UNSENT_MS }
    }
    const body = parseJson(outcome.body)
    breaker.ended(outcome.status >= 500 || body === undefined ? 'fault' : 'answered')
    const fields = servedOf({ status: outcome.status, body })
    // A page from a proxy says nothing of the key: only the market's own words do.
    if (fields !== null) access.note(isBadKey(fields) ? 'our key is refused' : null)
    return { kind: 'answer', status: outcome.status, body }
  }

  const takeTurns: KeyedCalls['takeTurns'] = async (most, patienceMs, context) => {
    const turn = await admit({ urgency: 'purchase', patienceMs, context })
    if ('kind' in turn) return turn
    return pacer.isLimited ? [turn] : Array.from({ length: most }, () => UNLIMITED)
  }

  return { takeTurns, call }
}

const withheld = (why: Withheld, detail: string): NotSent => ({
  kind: 'not-sent',
  detail,
  retryAfterMs: RETRY_UNSENT_MS,
  withheld: why,
})

const isOfMoney = (urgency: Urgency): boolean => urgency === 'purchase' || urgency === 'cancel'

/** A turn that is not used is given back, also when the guard's statement fails. */
async function beginOrGiveBack(guard: SendGuard, turn: PurchaseTurn): Promise<boolean> {
  let hasBegun = false
  try {
    hasBegun = await guard.begin()
    return hasBegun
  } finally {
    if (!hasBegun) turn.giveBack()
  }
}
