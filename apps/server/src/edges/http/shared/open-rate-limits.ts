// How this process limits its callers: by itself, or with all others through Valkey.
import { LIMIT_WINDOW_SECONDS } from '@tradepost/contract'
import { createLimiter, type Limiter } from '#infra/limits/rate-limit/limiter'
import { createSharedStore, type SharedStore } from '#infra/limits/rate-limit/shared-store'
import type { Valkey } from '#infra/limits/valkey'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import type { RateLimitsDeps } from './rate-limits.ts'

export interface OpenRateLimitsDeps {
  readonly valkey: Valkey | null
  /** Multiplies every limit. */
  readonly scale: number
  readonly log: Log
  readonly metrics: Metrics
}

export interface OpenedRateLimits extends RateLimitsDeps {
  stop(): void
}

/** Unauthenticated callers choose their addresses: a hundred bytes for each of these at most. */
const MAX_ADDRESSES = 50_000
const WINDOW_MS = LIMIT_WINDOW_SECONDS * 1000

const nowMs = (): number => performance.now()

export async function openRateLimits(deps: OpenRateLimitsDeps): Promise<OpenedRateLimits> {
  const { valkey, scale, metrics } = deps
  const shared = valkey === null ? null : openShared(valkey, deps)
  // Before the first request, so that it is decided together with all others.
  await shared?.beat()
  const alone = metrics.counter(
    'rate_limit_alone_total',
    'Decisions of this process without the store that it shares with the others',
  )
  const refusals = metrics.counter('rate_limit_refusals_total', 'Requests refused with 429', [
    'scope',
  ])
  const limiter = (maxKeys?: number): Limiter =>
    createLimiter({
      windowMs: WINDOW_MS,
      nowMs,
      shared,
      onAlone: () => alone.inc(),
      ...(maxKeys === undefined ? {} : { maxKeys }),
    })
  return {
    limiter: limiter(),
    addressLimiter: limiter(MAX_ADDRESSES),
    scale,
    nowMs,
    onRefused: (scope) => refusals.labels(scope).inc(),
    stop: () => shared?.stop(),
  }
}

function openShared(valkey: Valkey, { log, metrics }: OpenRateLimitsDeps): SharedStore {
  const usable = metrics.gauge(
    'rate_limit_store_usable',
    'Whether limits are counted together with the other processes: 1, else 0',
  )
  usable.set(0)
  return createSharedStore({
    runScript: valkey.runScript,
    connection: valkey.connection,
    windowMs: WINDOW_MS,
    nowMs,
    prefix: 'tradepost:limit:',
    onChange: (isUsable) => {
      usable.set(isUsable ? 1 : 0)
      if (isUsable) log.info({}, 'rate limits are counted together with the other processes')
      else log.warn({}, 'rate limits are counted in this process alone: Valkey is lost or too slow')
    },
  })
}
