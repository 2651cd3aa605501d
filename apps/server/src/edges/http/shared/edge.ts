// What every route of the server shares: the beginning of an exchange, and the two ways to answer it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RootLog } from '#infra/process/log'
import { beginRequest, within } from '#infra/tracing/tracing'
import { failureText, successText } from '#wire/envelope'
import { discardRest } from './body.ts'
import { type Answered, type AnsweredWith, createExchanges, type Exchange } from './exchange.ts'
import { type Failure, failureOf } from './failure.ts'

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange
  }
}

export interface Edge {
  /** First thing of every route. `route` is the pattern that logs and metrics show. */
  begin(request: FastifyRequest, reply: FastifyReply, route: string): Exchange
  /** Answers with a shape that is already JSON text. */
  succeed(request: FastifyRequest, reply: FastifyReply, status: number, dataText: string): void
  /** Answers anything that was thrown, and logs it unless it is a refusal. */
  fail(request: FastifyRequest, reply: FastifyReply, error: unknown): void
  /** Answers a failure that is already known as one. */
  answerFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): void
  /** The headers of every answer, whatever its body is. */
  commonHeaders(request: FastifyRequest, reply: FastifyReply): void
}

export interface EdgeDeps {
  readonly log: RootLog
  readonly onAnswered?: ((answered: Answered, exchange: AnsweredWith) => void) | undefined
  /** True when a proxy in front of us may terminate TLS. */
  readonly behindProxy: boolean
}

const JSON_TYPE = 'application/json; charset=utf-8'
const ONE_YEAR = 'max-age=31536000'
/** Asked every few seconds by machines: one line each would drown the others. */
const QUIET_ROUTES = new Set(['/healthz', '/readyz'])

export function createEdge({ log, onAnswered, behindProxy }: EdgeDeps): Edge {
  const beginExchange = createExchanges((answered, exchange) => {
    onAnswered?.(answered, exchange)
    if (QUIET_ROUTES.has(answered.route)) log.debug(answered, 'request')
    else log.info(answered, 'request')
  })

  const warnOfForwarding = createForwardingWarning(log)

  const edge: Edge = {
    begin(request, reply, route) {
      warnOfForwarding(request)
      const exchange = beginExchange(reply.raw, {
        requestId: request.id,
        method: request.method,
        route,
      })
      if (!QUIET_ROUTES.has(route)) {
        exchange.span = beginRequest(exchange, request.headers.traceparent)
      }
      request.exchange = exchange
      return exchange
    },

    commonHeaders(request, reply) {
      reply.header('x-request-id', request.id)
      reply.header('x-content-type-options', 'nosniff')
      // Sent over TLS only; over plain HTTP a browser must ignore it.
      if (behindProxy && request.protocol === 'https') {
        reply.header('strict-transport-security', ONE_YEAR)
      }
      const { headers, legacy } = request.exchange
      if (headers !== null) reply.headers(headers)
      if (legacy !== null) reply.headers({ ...legacy })
    },

    succeed(request, reply, status, dataText) {
      edge.commonHeaders(request, reply)
      reply.header('content-type', JSON_TYPE)
      reply.header('cache-control', 'no-store')
      reply.code(status).send(successText(request.id, dataText))
    },

    fail(request, reply, error) {
      const failure = failureOf(error)
      if (failure.fault !== undefined) {
        const { exchange } = request
        within(exchange.span, () => logFault(log, exchange, failure, error), undefined)
      }
      edge.answerFailure(request, reply, failure)
    },

    answerFailure(request, reply, failure) {
      if (reply.sent) return
      request.exchange.errorKey = failure.key
      edge.commonHeaders(request, reply)
      reply.header('content-type', JSON_TYPE)
      reply.header('cache-control', 'no-store')
      const { legacy } = request.exchange
      const help = helpLink(failure.key)
      reply.header('link', legacy === null ? help : `${legacy.link}, ${help}`)
      if (failure.retryAfterSeconds !== undefined) {
        reply.header('retry-after', String(failure.retryAfterSeconds))
      }
      reply.code(failure.status).send(failureText(request.id, failure))
      // After the answer: the client may still be in the middle of its body.
      discardRest(request.raw)
    },
  }
  return edge
}

/**
 * Once in the life of a process: a balancer that TRUSTED_PROXIES does not name makes all callers share its
 * address, for allowlists and for limits by address.
 */
function createForwardingWarning(log: RootLog): (request: FastifyRequest) => void {
  let hasWarned = false
  return (request) => {
    if (hasWarned || request.headers['x-forwarded-for'] === undefined) return
    // With a trusted peer the address would be the forwarded one.
    if (request.ip !== request.socket.remoteAddress) return
    hasWarned = true
    log.warn(
      { event: 'untrusted_forwarded_for', peer: request.ip },
      'X-Forwarded-For from an untrusted peer is ignored: if it is your balancer, name it in TRUSTED_PROXIES',
    )
  }
}

/** RFC 8288: the page that says what the key means and what to do about it. */
export const helpLink = (key: string): string => `</docs/errors#${key}>; rel="help"`

function logFault(
  log: RootLog,
  { requestId, method, route, tenantId }: Exchange,
  { fault }: Failure,
  err: unknown,
): void {
  const fields = { requestId, method, route, tenantId, err }
  if (fault === 'database') log.warn(fields, 'database connection lost during a request')
  else if (fault === 'busy') log.warn(fields, 'database too busy for a request')
  else log.error(fields, 'unhandled error')
}
