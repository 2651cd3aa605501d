// What is remembered of one request from its first byte to its log line.
import type { ServerResponse } from 'node:http'
import { type Span, within } from '#infra/tracing/tracing'
import type { ConfirmedCaller } from './operation.ts'

export interface Exchange {
  readonly requestId: string
  readonly method: string
  /** The pattern, never the path: paths carry ids and queries carry secrets. */
  readonly route: string
  readonly startedMs: number
  /** Null where requests, or this route, are not traced. */
  span: Span | null
  /** As the interface resolved it; known before any handler runs. */
  caller: ConfirmedCaller | null
  /** When the caller was known, by the monotonic clock. */
  identifiedMs: number
  tenantId: string | null
  /** The API key that the request carried, also where it is refused; null: none, or one that is unknown. */
  key: UsedKey | null
  /** The trade that the request made, or asked about with success. */
  tradeId: string | null
  errorKey: string | null
  /** What the rate limits put on every answer. */
  headers: Readonly<Record<string, string | string[]>> | null
  /** Of a route that another one replaces: on every answer, a refusal included. */
  legacy: LegacyHeaders | null
}

export interface UsedKey {
  readonly id: string
  /** Whose pace its requests share: its account, or the partner of a child. */
  readonly ownerId: string
}

export interface LegacyHeaders {
  readonly deprecation: string
  readonly link: string
}

export interface Answered {
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly durationMs: number
  readonly tenantId: string | null
  readonly keyId: string | null
  readonly errorKey: string | null
  /** The client went away before the whole answer was handed over. */
  readonly aborted: boolean
}

const EXCHANGE: unique symbol = Symbol('exchange')
/** What of an answered request is no part of its line in the log. */
export type AnsweredWith = Pick<Exchange, 'key' | 'tradeId'>

type Response = ServerResponse & { [EXCHANGE]?: Exchange }

export type BeginExchange = (
  response: ServerResponse,
  fields: { readonly requestId: string; readonly method: string; readonly route: string },
) => Exchange

/** One listener, shared by all responses, reports each that is over, sent or cut. */
export function createExchanges(
  onAnswered: (answered: Answered, exchange: AnsweredWith) => void,
): BeginExchange {
  function onClose(this: Response): void {
    const exchange = this[EXCHANGE]
    if (exchange === undefined) return
    const { requestId, method, route, tenantId, key, errorKey, span } = exchange
    if (span !== null) endSpan(span, this.statusCode, errorKey)
    const answered = {
      requestId,
      method,
      route,
      status: this.statusCode,
      durationMs: Math.round((performance.now() - exchange.startedMs) * 100) / 100,
      tenantId,
      keyId: key?.id ?? null,
      errorKey,
      aborted: !this.writableFinished,
    }
    within(span, () => onAnswered(answered, exchange), undefined)
  }

  return (response: Response, { requestId, method, route }) => {
    const exchange: Exchange = {
      requestId,
      method,
      route,
      startedMs: performance.now(),
      span: null,
      caller: null,
      identifiedMs: 0,
      tenantId: null,
      key: null,
      tradeId: null,
      errorKey: null,
      headers: null,
      legacy: null,
    }
    response[EXCHANGE] = exchange
    response.on('close', onClose)
    return exchange
  }
}

/** A refusal is an answer as others are; what fails is ours. */
function endSpan(span: Span, status: number, errorKey: string | null): void {
  span.set('http.response.status_code', status)
  if (errorKey !== null) span.set('error.type', errorKey)
  const isOurs = status >= 500 && (errorKey === null || errorKey === 'INTERNAL_ERROR')
  span.end(isOurs ? (errorKey ?? String(status)) : undefined)
}
