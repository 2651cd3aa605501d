// Calls with the key. The key travels in the query, a refusal arrives with status 200, and no call may
// go out without its turn.
import type { HttpClient, QueryValue } from '#platform/http-client'
import type { CallContext } from '#ports/trading'
import type { Log } from '../shared/outside.ts'
import type { Pacer, Urgency } from '../shared/pacer.ts'
import { fieldsOf, parseJson } from '../shared/reader.ts'
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
}

export type KeyedAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'not-sent'; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string }

export interface KeyedCalls {
  call(call: KeyedCall): Promise<KeyedAnswer>
  /** The last answer with our key said that the key is worthless. */
  isKeyRefused(): boolean
}

export function createKeyedCalls({
  settings,
  http,
  pacer,
  log,
}: {
  readonly settings: MarketASettings
  readonly http: HttpClient
  readonly pacer: Pacer
  readonly log: Log
}): KeyedCalls {
  let keyRefused = false

  const noteKey = (isRefused: boolean): void => {
    if (isRefused && !keyRefused) {
      log.error({ market: 'market_a', alarm: true }, 'market A refuses our key')
    }
    keyRefused = isRefused
  }

  return {
    isKeyRefused: () => keyRefused,
    async call({ method, query, urgency, patienceMs, deadlineMs, maxBytes, context }) {
      if (!(await pacer.take(urgency, patienceMs))) {
        return { kind: 'not-sent', detail: 'no turn within the call budget' }
      }
      const outcome = await http.request({
        provider: 'market_a',
        operation: method,
        method: 'GET',
        url: `${settings.baseUrl}/api/v2/${method}`,
        query: { key: settings.apiKey, ...query },
        // Without a user agent, calls that write are answered 401.
        headers: { 'user-agent': 'Tradepost/1.0' },
        deadlineMs,
        ...(maxBytes === undefined ? {} : { maxBytes }),
        context,
        routine: urgency !== 'purchase',
      })
      if (outcome.kind !== 'answer') return outcome
      const body = parseJson(outcome.body)
      const fields = fieldsOf(body)
      // A page from a proxy says nothing of the key: only the market's own words do.
      if (fields !== null) noteKey(isBadKey(fields))
      return { kind: 'answer', status: outcome.status, body }
    },
  }
}
