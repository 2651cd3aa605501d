// A breaker for one supplier in one process: after faults in a row it leaves the supplier alone for a
// while, then lets one call find out. Calls that wait for a deadline each, thousands of them, are worse for
// both sides than none; and a purchase that is not sent can be sent later, one that is lost cannot.
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import type { MarketId } from '#ports/catalog'

export type BreakerState = 'closed' | 'open' | 'half-open'

export type Pass =
  | { readonly kind: 'go' }
  /** The one call that finds out. Its outcome must be reported by `ended`. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'wait'; readonly retryAfterMs: number }

export interface Breaker {
  /**
   * Whether a call may leave now. A purchase is never the probe: its answer may get lost, and then money
   * hangs on a supplier that we already know to be unwell.
   */
  admit(call: 'purchase' | 'read'): Pass
  /** What became of a call that was let go: `neither` when it did not leave after all. */
  ended(how: 'answered' | 'fault' | 'neither'): void
  state(): BreakerState
}

export interface BreakerSettings {
  /** Faults in a row: lost connections, deadlines, 5xx, pages where JSON should be. A refusal is none. */
  readonly faultsToOpen: number
  readonly openMs: number
  /** Doubled each time the probe fails, up to this. */
  readonly maxOpenMs: number
}

export const BREAKER_DEFAULTS: BreakerSettings = {
  faultsToOpen: 5,
  openMs: 10_000,
  maxOpenMs: 120_000,
}

/** While the probe is under way, the others ask again this soon. */
const PROBE_PAUSE_MS = 500

export function createBreaker(
  { faultsToOpen, openMs, maxOpenMs }: BreakerSettings,
  { clock, onChange = () => {} }: { clock: Clock; onChange?: (state: BreakerState) => void },
): Breaker {
  let faults = 0
  let opened: { readonly untilMs: number; readonly forMs: number } | null = null
  let isProbing = false

  const nowMs = (): number => clock.now().getTime()
  const state = (): BreakerState => {
    if (opened === null) return 'closed'
    return nowMs() < opened.untilMs ? 'open' : 'half-open'
  }
  const open = (forMs: number): void => {
    opened = { untilMs: nowMs() + forMs, forMs }
    onChange('open')
  }

  return {
    state,
    admit(call) {
      if (opened === null) return { kind: 'go' }
      const waitMs = opened.untilMs - nowMs()
      if (waitMs > 0) return { kind: 'wait', retryAfterMs: waitMs }
      if (isProbing || call === 'purchase') return { kind: 'wait', retryAfterMs: PROBE_PAUSE_MS }
      isProbing = true
      return { kind: 'probe' }
    },
    ended(how) {
      if (how === 'neither') {
        isProbing = false
        return
      }
      if (how === 'answered') {
        faults = 0
        // An answer to a call from before it opened is as good as one to a probe.
        if (opened !== null) onChange('closed')
        opened = null
        isProbing = false
        return
      }
      faults += 1
      if (opened !== null) {
        // Calls that left before it opened come back lost one by one: only the probe counts.
        if (!isProbing) return
        isProbing = false
        open(Math.min(opened.forMs * 2, maxOpenMs))
      } else if (faults >= faultsToOpen) open(openMs)
    },
  }
}

/** A breaker that says in log and metrics what it does. */
export function createMarketBreaker(
  { market, account }: { readonly market: MarketId; readonly account: string },
  settings: BreakerSettings,
  { clock, log, metrics }: { clock: Clock; log: Log; metrics: Metrics },
): Breaker {
  const isOpen = metrics.gauge(
    'market_breaker_open',
    '1 while this process leaves a market alone after faults in a row',
    ['market', 'account'],
  )
  const opened = metrics.counter('market_breaker_opened_total', 'Times that a breaker opened', [
    'market',
    'account',
  ])
  isOpen.labels(market, account).set(0)
  let wasOpen = false
  return createBreaker(settings, {
    clock,
    onChange: (state) => {
      isOpen.labels(market, account).set(state === 'open' ? 1 : 0)
      if (state === 'open') {
        opened.labels(market, account).inc()
        if (!wasOpen) log.warn({ event: 'breaker_open', market, account }, 'circuit breaker open')
      } else log.info({ event: 'breaker_closed', market, account }, 'circuit breaker closed')
      wasOpen = state === 'open'
    },
  })
}
