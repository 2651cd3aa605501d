// Calls to a provider of deposits: a breaker in front, and one of four outcomes behind.

import type { HttpClient, HttpRequest } from '#infra/http/http-client'
import type { SendGuard } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import type { CallContext } from '#ports/deposits'
import { type Breaker, type BreakerSettings, createBreaker } from './breaker.ts'
import { parseJson } from './reader.ts'

export interface DepositCallsDeps {
  readonly http: HttpClient
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly breaker: BreakerSettings
}

/** What both providers have in common; see each for its defaults. */
export interface DepositProviderTiming {
  readonly deadlineMs: number
  /** After an unknown answer: an order that look-ups have not shown for this long does not exist. */
  readonly lookUpSettleMs: number
  readonly absentLookUps: number
  readonly breaker: BreakerSettings
}

export type CallOutcome =
  /** Any status below 500 whose body is JSON. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  /** Certain: nothing was sent, or it was refused before it was read. */
  | { readonly kind: 'not-sent'; readonly detail: string; readonly retryAfterMs: number }
  /** It may have been acted on. */
  | { readonly kind: 'unknown'; readonly detail: string; readonly retryAfterMs: number }

export type DepositCall = Pick<
  HttpRequest,
  'operation' | 'method' | 'url' | 'query' | 'body' | 'headers' | 'deadlineMs'
> & {
  /** A call that creates an order is never the one that tries whether the provider is back. */
  readonly creates?: boolean
  /** Of a call that creates an order: begun when nothing is waited for any more. */
  readonly guard?: SendGuard | undefined
}

export type SendDepositCall = (call: DepositCall, context: CallContext) => Promise<CallOutcome>

/** After a fault, a caller may ask again this much later. */
const RETRY_MS = 5_000

export function createDepositCalls(
  provider: 'gateway' | 'onramp',
  { http, clock, log, metrics, breaker: settings }: DepositCallsDeps,
): SendDepositCall {
  const breaker = openBreaker(provider, settings, { clock, log, metrics })
  return async ({ creates = false, guard, ...call }, { requestId, signal }) => {
    const pass = breaker.admit(creates ? 'purchase' : 'read')
    if (pass.kind === 'wait') {
      const detail = `the breaker of the ${provider} is open`
      return { kind: 'not-sent', detail, retryAfterMs: pass.retryAfterMs }
    }
    if (guard && !(await guard.begin())) {
      return { kind: 'not-sent', detail: 'its lease is over', retryAfterMs: RETRY_MS }
    }
    const outcome = await http.request({
      ...call,
      provider,
      context: { requestId, lease: guard },
      ...(signal === undefined || creates ? {} : { signal }),
    })
    if (outcome.kind === 'not-sent') {
      // A call that was held back because this process was suspended is no fault of the provider's.
      if (guard === undefined || guard.remainingMs() >= call.deadlineMs) breaker.ended('fault')
      return { kind: 'not-sent', detail: outcome.detail, retryAfterMs: RETRY_MS }
    }
    if (outcome.kind === 'lost') {
      breaker.ended('fault')
      return { kind: 'unknown', detail: outcome.detail, retryAfterMs: RETRY_MS }
    }
    if (outcome.status === 429) {
      breaker.ended('answered')
      const seconds = /^\d{1,4}$/.exec(outcome.headers['retry-after'] ?? '')?.[0]
      const retryAfterMs = seconds === undefined ? RETRY_MS : Number(seconds) * 1000
      return { kind: 'not-sent', detail: 'too many calls', retryAfterMs }
    }
    const body = parseJson(outcome.body)
    if (outcome.status >= 500 || body === undefined) {
      breaker.ended('fault')
      const detail = `status ${outcome.status}${body === undefined ? ' without JSON' : ''}`
      return { kind: 'unknown', detail, retryAfterMs: RETRY_MS }
    }
    breaker.ended('answered')
    return { kind: 'answer', status: outcome.status, body }
  }
}

function openBreaker(
  provider: string,
  settings: BreakerSettings,
  { clock, log, metrics }: Pick<DepositCallsDeps, 'clock' | 'log' | 'metrics'>,
): Breaker {
  const isOpen = metrics
    .gauge(
      'deposit_provider_breaker_open',
      '1 while this process leaves a provider of deposits alone after faults in a row',
      ['provider'],
    )
    .labels(provider)
  isOpen.set(0)
  return createBreaker(settings, {
    clock,
    onChange: (state) => {
      isOpen.set(state === 'open' ? 1 : 0)
      const event = state === 'open' ? 'breaker_open' : 'breaker_closed'
      const message = state === 'open' ? 'circuit breaker open' : 'circuit breaker closed'
      log.warn({ event, provider }, message)
    },
  })
}

/** Of a read that could not be used; the caller may ask again later. */
export const unavailable = (detail: string, retryAfterMs = RETRY_MS) =>
  ({ kind: 'unavailable', detail, retryAfterMs }) as const
