// Following events over everything that comes between: restarts of the service, lost connections, limits.
import { type EventType, TradepostError, TransportError, type WebhookEvent } from './sdk.ts'
import type { Session } from './session.ts'
import type { World } from './world.ts'

export interface TailOptions {
  /** `start`, or an event's id. */
  readonly place: string
  readonly types: readonly EventType[] | null
  readonly signal: AbortSignal
  /** The service does not answer; told once until it does again. */
  onTrouble?(error: unknown): void
  onRecovered?(): void
}

/** How long the service may hold an answer while there is nothing to tell. */
const WAIT_SECONDS = 20
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 10_000
/** Questions while there is news: one a second, less when the service finds that too much. */
const MIN_GAP_MS = 1000
const MAX_GAP_MS = 10_000

/** Events as they come, until the signal. A refusal that time does not heal ends it with an error. */
export async function* tail(
  world: World,
  { tradepost }: Pick<Session, 'tradepost'>,
  options: TailOptions,
): AsyncGenerator<WebhookEvent, void, undefined> {
  const { signal, types } = options
  let { place } = options
  let failures = 0
  let gapMs = MIN_GAP_MS
  while (!signal.aborted) {
    const askedMs = world.now().getTime()
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
        await world.sleep(Math.max(0, askedMs + gapMs - world.now().getTime()))
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) throw error
      if (failures === 0) options.onTrouble?.(error)
      failures++
      if (error instanceof TradepostError && error.key === 'RATE_LIMITED') {
        gapMs = Math.min(2 * gapMs, MAX_GAP_MS)
      }
      await world.sleep(pauseOf(error, failures, world.random()))
    }
  }
}

/** Where to begin so that only what comes from now on is told. */
export async function placeOfNow({ tradepost }: Session, signal: AbortSignal): Promise<string> {
  const { items } = await tradepost.events.list({ limit: 1 }, { signal })
  return items[0]?.id ?? 'start'
}

/** An error that may be over by itself. */
const isPassing = (error: unknown): boolean =>
  error instanceof TransportError ||
  (error instanceof TradepostError && (error.status >= 500 || error.status === 429))

/** Doubling, half of it chance, and never less than what the service asks for. */
function pauseOf(error: unknown, failures: number, random: number): number {
  const doubled = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10))
  const asked = error instanceof TradepostError ? 1000 * (error.retryAfterSeconds ?? 0) : 0
  return Math.max(asked, doubled / 2 + (doubled / 2) * random)
}
