// Calls with the key, which travels in the query. Market B has a budget for each kind of call and says
// with 429 when one is used up; until then that kind is left alone.
import type { Clock } from '#platform/clock'
import type { HttpClient, QueryValue } from '#platform/http-client'
import type { CallContext } from '#ports/trading'
import { parseJson } from '../shared/reader.ts'
import { type RawAnswer, retryAfterMs } from './purchase-answer.ts'
import type { MarketBSettings } from './settings.ts'

/** Calls that share one budget at market B. */
export type Budget = 'purchases' | 'look-ups' | 'searches' | 'account'

export interface Call {
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly budget: Budget
  readonly deadlineMs: number
  readonly maxBytes?: number
  readonly context: CallContext
}

export type CallOutcome =
  | ({ readonly kind: 'answer' } & RawAnswer)
  | { readonly kind: 'not-sent'; readonly detail: string; readonly retryAfterMs: number }
  | { readonly kind: 'lost'; readonly detail: string }

export type Calls = (call: Call) => Promise<CallOutcome>

const RETRY_UNSENT_MS = 1_000

export function createCalls({
  settings,
  http,
  clock,
}: {
  readonly settings: MarketBSettings
  readonly http: HttpClient
  readonly clock: Clock
}): Calls {
  const quietUntilMs = new Map<Budget, number>()

  return async ({ path, query, budget, deadlineMs, maxBytes, context }) => {
    const waitMs = (quietUntilMs.get(budget) ?? 0) - clock.now().getTime()
    if (waitMs > 0) {
      return { kind: 'not-sent', detail: 'market B asked us to wait', retryAfterMs: waitMs }
    }
    const outcome = await http.request({
      provider: 'market_b',
      operation: path.slice(path.lastIndexOf('/') + 1),
      method: 'GET',
      url: `${settings.baseUrl}${path}`,
      query: { api: settings.apiKey, ...query },
      headers: { 'user-agent': 'Tradepost/1.0' },
      deadlineMs,
      ...(maxBytes === undefined ? {} : { maxBytes }),
      context,
      routine: budget !== 'purchases',
    })
    if (outcome.kind === 'not-sent') return { ...outcome, retryAfterMs: RETRY_UNSENT_MS }
    if (outcome.kind === 'lost') return outcome
    const { status, headers, body: text } = outcome
    const answer: RawAnswer = { status, headers, text, body: parseJson(text) }
    if (status === 429) quietUntilMs.set(budget, clock.now().getTime() + retryAfterMs(answer))
    return { kind: 'answer', ...answer }
  }
}
