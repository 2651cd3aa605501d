// Puts one operation on the server: credential, limits, permission, caller, shape, handler, in this order.
import { once } from 'node:events'
import type { OutgoingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Legacy } from '@tradepost/contract'
import fastJsonStringify from 'fast-json-stringify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withTenant } from '#infra/database/tenant-context'
import type { InLine } from '#infra/limits/lines'
import type { LoopTurns } from '#infra/limits/loop-turns'
import type { RootLog } from '#infra/process/log'
import { lazily } from '#infra/process/memo'
import { within } from '#infra/tracing/tracing'
import { Refusal } from '#kernel/refusal'
import type { ApiInterface } from './api-interface.ts'
import { type ReadBody, UnreadBody } from './body.ts'
import type { Edge } from './edge.ts'
import type { LegacyHeaders } from './exchange.ts'
import { KeyRefusal } from './key-authenticator.ts'
import { methodsOf } from './known-routes.ts'
import {
  type ConfirmedCaller,
  type Operation,
  type OperationRequest,
  PreparedResponse,
  ResponseWithHeaders,
  type RouteShape,
  StreamedResponse,
} from './operation.ts'
import type { Principal } from './principal.ts'
import { refuseMissingScope } from './scope.ts'
import type { ShapeCompiler } from './shape.ts'
import { refuseTwoKeys, refuseTwoReferences } from './single-headers.ts'
import { charge, noteCaller } from './unrouted.ts'

export interface OperationRouteDeps {
  readonly edge: Edge
  readonly shapes: ShapeCompiler
  readonly api: ApiInterface
  /** All that the server has. */
  readonly interfaces: readonly ApiInterface[]
  readonly log: RootLog
  /** Callers take turns, so that many requests of one do not hold up the next of another. */
  readonly inTurn: LoopTurns
  /** Of a tenant one answer of megabytes is sent at a time: each fills a connection’s buffers at once. */
  readonly inLine: InLine
  /** The caller of a body that takes longer than this to arrive is asked about again. */
  readonly slowBodyMs: number
}

export function addOperation(
  app: FastifyInstance,
  deps: OperationRouteDeps,
  operation: Operation,
): void {
  const { edge, api } = deps
  const { route } = operation
  const identify = identifier(deps, operation)
  const untouched = route.cap === undefined ? null : (api.limits?.untouched(route.cap) ?? null)
  const legacy = route.legacy === undefined ? null : legacyHeaders(route.legacy)
  app.route({
    method: methodsOf(route.method),
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // Before the body is read: a quarter of a megabyte of an unauthenticated caller is not parsed.
    onRequest: (request, reply, done) => {
      const exchange = edge.begin(request, reply, route.path)
      exchange.headers = untouched
      exchange.legacy = legacy
      within(exchange.span, identify, request).then(
        () => {
          // Its client has gone while it waited for its turn: nothing of it has begun.
          if (request.raw.socket.destroyed) return
          exchange.identifiedMs = performance.now()
          done()
        },
        (error) => edge.fail(request, reply, error),
      )
    },
    handler: answerer(deps, operation),
  })
}

/** RFC 9745 and RFC 5829: since when, and what to call instead. */
const legacyHeaders = ({ since, successor }: Legacy): LegacyHeaders => ({
  deprecation: `@${since}`,
  link: `<${successor}>; rel="successor-version"`,
})

/**
 * For whom the database is asked until a caller is known, and for callers that stay unknown. Notices of
 * providers are an interface of their own, so that no flood of anonymous callers of the dashboard holds them
 * up.
 */
const lookUpsOf = ({ name }: Pick<ApiInterface, 'name'>): string => `look-ups of ${name}`
const anonymousCallersOf = ({ name }: Pick<ApiInterface, 'name'>): string =>
  `anonymous callers of ${name}`

/** Finds out who calls and for whom, and leaves it in the exchange. */
function identifier(
  { api, inTurn, interfaces }: OperationRouteDeps,
  operation: Operation,
): (request: FastifyRequest) => Promise<void> {
  const { route, permission } = operation
  const authenticate = async (request: FastifyRequest): Promise<Principal> => {
    refuseTwoKeys(request.raw)
    try {
      return await withTenant(lookUpsOf(api), () => api.authenticate(request, operation))
    } catch (error) {
      if (error instanceof KeyRefusal) request.exchange.key = error.usedKey
      // A key at an address that it does not open costs as much as at any other.
      if (mayHoldForeignKey(error)) await charge(interfaces, request, inTurn)
      else await inTurn(null)
      throw error
    }
  }
  return async (request) => {
    const { exchange } = request
    const principal = await authenticate(request)
    noteCaller(exchange, principal)
    await inTurn(exchange.tenantId)
    const limited = api.limits?.admit({ principal, route, query: request.query })
    const admission = limited instanceof Promise ? await limited : limited
    if (admission?.headers) exchange.headers = admission.headers
    if (admission?.refusal) throw admission.refusal
    refuseTwoReferences(request.raw)
    if (!principal.permissions.has(permission)) throw new Refusal('FORBIDDEN')
    refuseMissingScope(principal, route)
    exchange.caller = await withTenant(exchange.tenantId ?? anonymousCallersOf(api), () =>
      api.resolveCaller(principal, request, operation),
    )
  }
}

const mayHoldForeignKey = (error: unknown): boolean =>
  error instanceof Refusal && (error.key === 'FORBIDDEN' || error.key === 'MISSING_API_KEY')

function answerer(deps: OperationRouteDeps, operation: Operation) {
  const { edge, shapes } = deps
  const { route } = operation
  // At the first call: to compile the shapes of all routes takes 1 s of CPU.
  const checker = lazily(() => shapes.compile(route))
  const serializer = lazily(() => fastJsonStringify(route.response as object))
  const status = route.status ?? 200
  const handle = confirmedInTime(deps, operation)
  const { inLine } = deps

  return (request: FastifyRequest, reply: FastifyReply): void => {
    const body = request.body as ReadBody | UnreadBody | undefined
    const failure =
      body instanceof UnreadBody
        ? body.failure
        : checker()({
            params: request.params as Record<string, unknown>,
            query: request.query as Record<string, unknown>,
            headers: request.headers,
            url: request.url,
            body,
          })
    if (failure !== null) {
      edge.answerFailure(request, reply, failure)
      return
    }
    within(request.exchange.span, handle, request)
      .then(async (answer) => {
        if (answer instanceof PreparedResponse) {
          const send = () => sendPrepared(edge, request, reply, answer)
          const isLong = Array.isArray(answer.body)
          await (isLong ? inLine(request.exchange.tenantId ?? 'anonymous callers', send) : send())
        } else if (answer instanceof StreamedResponse) {
          edge.commonHeaders(request, reply)
          reply.code(status).headers({ ...answer.headers })
          if (request.method === 'HEAD') answer.stream.destroy()
          reply.send(request.method === 'HEAD' ? undefined : answer.stream)
        } else if (answer instanceof ResponseWithHeaders) {
          request.exchange.headers = { ...request.exchange.headers, ...answer.headers }
          edge.succeed(request, reply, status, serializer()(answer.data))
        } else edge.succeed(request, reply, status, serializer()(answer))
      })
      .catch((error) => edge.fail(request, reply, error))
  }
}

const NO_BYTES = Buffer.alloc(0)

/**
 * A caller may lose its access while its body arrives or its call waits: its key is revoked, its session
 * ends, its account is suspended. Then it must neither act nor learn what happened meanwhile. The framework
 * reads no body of a GET.
 */
const confirmedInTime =
  ({ api, log, slowBodyMs }: OperationRouteDeps, operation: Operation) =>
  // A handler that throws before its first await is no different from one that rejects.
  async (request: FastifyRequest): Promise<unknown> => {
    const { caller, identifiedMs } = request.exchange
    if (caller === null) throw new Error('a handler ran before its caller was known')
    const isSlow = operation.route.method !== 'GET' && performance.now() - identifiedMs > slowBodyMs
    if (isSlow) await caller.confirm()
    const call = callOf(request, { caller, log })
    const { tenantId } = request.exchange
    const answer = await withTenant(tenantId ?? anonymousCallersOf(api), () =>
      operation.handle(call),
    )
    const { wait = 0 } = (call.query ?? {}) as { wait?: number }
    if (wait > 0) await caller.confirm()
    request.exchange.tradeId = tradeOf(operation, call.params, answer)
    return answer
  }

function tradeOf({ options }: Operation, params: unknown, answer: unknown): string | null {
  const { tradeId = null } = (params ?? {}) as { readonly tradeId?: string }
  return options.tradeOf === undefined ? tradeId : options.tradeOf(answer as never)
}

function callOf(
  request: FastifyRequest,
  { caller, log }: { readonly caller: ConfirmedCaller; readonly log: RootLog },
): OperationRequest<RouteShape, unknown> {
  const { exchange, headers } = request
  const body = request.body as ReadBody | undefined
  const { requestId, tenantId } = exchange
  return {
    caller,
    params: request.params as undefined,
    query: request.query as undefined,
    body: (body === undefined ? {} : body.value) as undefined,
    rawBody: body?.bytes ?? NO_BYTES,
    idempotencyKey: String(headers['idempotency-key'] ?? ''),
    headers,
    // Few handlers write a line of their own; a child for each request would be made for nothing.
    get log() {
      return log.child({ requestId, tenantId })
    },
  }
}

/** Its headers are the handler's business; what the server says on every answer comes on top. */
async function sendPrepared(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  { body, headers, status }: PreparedResponse,
): Promise<void> {
  // Its client has gone while it waited for the one before.
  if (request.raw.socket.destroyed) return
  edge.commonHeaders(request, reply)
  reply.header('content-type', 'application/json; charset=utf-8')
  reply.header('cache-control', 'no-store')
  reply.headers(headers as Record<string, string>)
  reply.code(status)
  if (status === 304) {
    reply.removeHeader('content-type')
    reply.send()
  } else if (typeof body === 'string') reply.send(body)
  else await sendParts(reply, body)
}

/** A reader that takes longer holds up no other of its tenant. */
const LONGEST_TURN_MS = 1000

/** Headers and parts in one write. Fastify knows bodies of one part, or streams, which cost much more. */
async function sendParts(reply: FastifyReply, parts: readonly Buffer[]): Promise<void> {
  reply.header('content-length', String(parts.reduce((sum, part) => sum + part.length, 0)))
  reply.hijack()
  const { raw } = reply
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  // Node holds back what is written until the end of the tick.
  for (const part of parts) raw.write(part)
  const isOver = once(raw, 'close')
  raw.end()
  await Promise.race([isOver, sleep(LONGEST_TURN_MS, undefined, { ref: false })])
}
