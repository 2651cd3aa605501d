// Follows events across restarts of the service, lost connections and rate limits.

import type { Environment } from './environment.ts'
import { type EventType, TradepostError, TransportError, type WebhookEvent } from './sdk.ts'
import type { MerchantSession } from './session.ts'

export interface TailOptions {
  /** `start`, or an event's id. */
  readonly place: string
  readonly types: readonly EventType[] | null
  readonly signal: AbortSignal
  /** The service does not respond; reported once until it does again. */
  onTrouble?(error: unknown): void
  onRecovered?(): void
}

/** How long the service may delay a response while there is no event. */
const WAIT_SECONDS = 20
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 10_000
/** Between calls while there are events: a second, longer after a rate limit. */
const MIN_GAP_MS = 1000
const MAX_GAP_MS = 10_000

/** Events as they happen, until the signal. A permanent refusal ends it with an error. */
export async function* tail(
  environment: Environment,
  { tradepost }: Pick<MerchantSession, 'tradepost'>,
  options: TailOptions,
): AsyncGenerator<WebhookEvent, void, undefined> {
  const { signal, types } = options
  let { place } = options
  let failures = 0
  let gapMs = MIN_GAP_MS
  while (!signal.aborted) {
    const startedMs = environment.now().getTime()
    try {
      const page = await tradepost.events.after(
        place,
        { wait: WAIT_SECONDS, limit: 100, ...(types && { type: types }) },
        { signal, maxRetries: 0 },
      )
      if (failures > 0) options.onRecovered?.()
      failures = 0
      yield* page.items
      place = page.nextCursor ?? place
      const isFull = page.items.length === 100
      if (!isFull && !signal.aborted) {
        await environment.sleep(Math.max(0, startedMs + gapMs - environment.now().getTime()))
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isTransient(error)) throw error
      if (failures === 0) options.onTrouble?.(error)
      failures++
      if (error instanceof TradepostError && error.key === 'RATE_LIMITED') {
        gapMs = Math.min(2 * gapMs, MAX_GAP_MS)
      }
      await environment.sleep(pauseOf(error, failures, environment.random()))
    }
  }
}

/** The position from which only new events are reported. */
export async function placeOfNow(
  { tradepost }: MerchantSession,
  signal: AbortSignal,
): Promise<string> {
  const { items } = await tradepost.events.list({ limit: 1 }, { signal })
  return items[0]?.id ?? 'start'
}

/** Whether a retry may succeed. */
const isTransient = (error: unknown): boolean =>
  error instanceof TransportError ||
  (error instanceof TradepostError && (error.status >= 500 || error.status === 429))

/** Doubles, half of it random, and never less than `retry-after`. */
function pauseOf(error: unknown, failures: number, random: number): number {
  const doubled = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10))
  const leastMs = error instanceof TradepostError ? 1000 * (error.retryAfterSeconds ?? 0) : 0
  return Math.max(leastMs, doubled / 2 + (doubled / 2) * random)
}
