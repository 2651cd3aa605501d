// Puts one operation on the server: key, limits, sub-user, shape, handler, in this order.
import type { OutgoingHttpHeaders } from 'node:http'
import type { ErrorKey } from '@tradepost/contract'
import fastJsonStringify from 'fast-json-stringify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RootLog } from '#infra/log'
import { Refusal } from '#kernel/refusal'
import { readOnBehalfOf } from '../merchant/on-behalf-of.ts'
import type { rememberCallers } from '../merchant/remember-callers.ts'
import type { Authenticator } from './authenticate.ts'
import { type ReadBody, UnreadBody } from './body.ts'
import type { Edge } from './edge.ts'
import {
  type MerchantCaller,
  type Operation,
  type OperationRequest,
  PreparedResponse,
  type RouteShape,
} from './operation.ts'
import type { RateLimits, ResolveCaller } from './ports.ts'
import type { ShapeCompiler } from './shape.ts'

export interface OperationRouteDeps {
  readonly edge: Edge
  readonly shapes: ShapeCompiler
  readonly authenticate: Authenticator['authenticate']
  readonly resolveCaller: ResolveCaller
  /** The same, from the memory of the last second. */
  readonly recallCaller: ReturnType<typeof rememberCallers>
  readonly rateLimits?: RateLimits | undefined
  readonly log: RootLog
}

export function addOperation(
  app: FastifyInstance,
  deps: OperationRouteDeps,
  operation: Operation,
): void {
  const { edge } = deps
  const { route } = operation
  const identify = identifier(deps, operation)
  const untouched = route.cap === undefined ? null : (deps.rateLimits?.untouched(route.cap) ?? null)
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // Before the body is read: a stranger's quarter of a megabyte is not parsed.
    onRequest: (request, reply, done) => {
      edge.begin(request, reply, route.path).headers = untouched
      identify(request).then(
        () => done(),
        (error) => edge.fail(request, reply, error),
      )
    },
    handler: answerer(deps, operation),
  })
}

type Identify = (request: FastifyRequest) => Promise<void>

/** Finds out who is asking and for whom, and leaves it in the exchange. */
function identifier(
  { authenticate, resolveCaller, recallCaller, rateLimits }: OperationRouteDeps,
  { route, options }: Operation,
): Identify {
  const noteFailure = async (request: FastifyRequest, error: unknown): Promise<never> => {
    if (isUnknownKey(error)) await rateLimits?.addresses.noteFailedKey(request.ip)
    throw error
  }
  const open = (request: FastifyRequest): MerchantCaller | Promise<MerchantCaller> => {
    try {
      rateLimits?.addresses.refuseKeyGuesser(request)
      const found = authenticate(request)
      return found instanceof Promise ? found.catch((error) => noteFailure(request, error)) : found
    } catch (error) {
      return noteFailure(request, error)
    }
  }

  const find = options.takesRememberedCaller ? recallCaller : resolveCaller

  return async (request) => {
    const found = open(request)
    const merchant = found instanceof Promise ? await found : found
    const { exchange } = request
    exchange.merchantId = merchant.id
    const limited = rateLimits?.admit({ merchant, route, query: request.query })
    const admission = limited instanceof Promise ? await limited : limited
    if (admission?.headers) exchange.headers = admission.headers
    if (admission?.refusal) throw admission.refusal

    const reference = readOnBehalfOf(request.headers)
    if (reference.kind !== 'none' && route.context === 'merchant') throw refusal('FORBIDDEN')
    if (reference.kind === 'invalid') {
      throw refusal('VALIDATION_FAILED', { errors: [reference.problem] })
    }
    const asked = reference.kind === 'given' ? reference.text : null
    const resolved = await find(merchant, asked)
    if (resolved === null) throw refusal(asked === null ? 'INVALID_API_KEY' : 'USER_NOT_FOUND')
    if (options.refusesSuspended && resolved.subUser?.status === 'suspended') {
      throw refusal('ACCOUNT_SUSPENDED')
    }
    exchange.caller = {
      requestId: exchange.requestId,
      merchant,
      subUser: resolved.subUser,
      account: resolved.account,
    }
  }
}

const isUnknownKey = (error: unknown): boolean =>
  error instanceof Refusal && error.key === 'INVALID_API_KEY'

function answerer({ edge, shapes, log }: OperationRouteDeps, { route, handle }: Operation) {
  const check = shapes.compile(route)
  const stringify = fastJsonStringify(route.response as object)
  const status = route.status ?? 200

  return (request: FastifyRequest, reply: FastifyReply): void => {
    const body = request.body as ReadBody | UnreadBody | undefined
    const failure =
      body instanceof UnreadBody
        ? body.failure
        : check({
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
    handleSafely(handle, callOf(request, log))
      .then((answer) => {
        if (answer instanceof PreparedResponse) sendPrepared(edge, request, reply, answer)
        else edge.succeed(request, reply, status, stringify(answer))
      })
      .catch((error) => edge.fail(request, reply, error))
  }
}

/** A handler that throws before its first await is no different from one that rejects. */
async function handleSafely(
  handle: Operation['handle'],
  call: OperationRequest<RouteShape>,
): Promise<unknown> {
  return handle(call)
}

function callOf(request: FastifyRequest, log: RootLog): OperationRequest<RouteShape> {
  const { exchange, headers } = request
  const body = request.body as ReadBody | undefined
  const { caller, requestId, merchantId } = exchange
  if (caller === null) throw new Error('a handler ran before its caller was known')
  return {
    caller,
    params: request.params as undefined,
    query: request.query as undefined,
    body: (body === undefined ? {} : body.value) as undefined,
    idempotencyKey: String(headers['idempotency-key'] ?? ''),
    headers,
    // Few handlers write a line of their own; a child for each request would be made for nothing.
    get log() {
      return log.child({ requestId, merchantId })
    },
  }
}

/** Its headers are the handler's business; what the server says on every answer comes on top. */
function sendPrepared(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  { body, headers, status }: PreparedResponse,
): void {
  edge.commonHeaders(request, reply)
  reply.header('content-type', 'application/json; charset=utf-8')
  reply.header('cache-control', 'no-store')
  reply.headers(headers as Record<string, string>)
  reply.code(status)
  if (status === 304) {
    reply.removeHeader('content-type')
    reply.send()
  } else if (typeof body === 'string') reply.send(body)
  else sendParts(reply, body)
}

/** Headers and parts in one write. Fastify knows bodies of one part, or streams, which cost much more. */
function sendParts(reply: FastifyReply, parts: readonly Buffer[]): void {
  reply.header('content-length', String(parts.reduce((sum, part) => sum + part.length, 0)))
  reply.hijack()
  const { raw } = reply
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  // Node holds back what is written until the end of the tick.
  for (const part of parts) raw.write(part)
  raw.end()
}

const refusal = (key: ErrorKey, facts?: Readonly<Record<string, unknown>>): Refusal =>
  new Refusal(key, facts)
