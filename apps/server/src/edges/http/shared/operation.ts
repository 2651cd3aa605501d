// One operation of an HTTP interface: a route of the contract and the function that answers it. The
// server (server.ts) does everything around it: caller, limits, shape, envelope, log and metrics.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Legacy, RouteCap, RouteScope } from '@tradepost/contract'
import type { Static, TSchema } from 'typebox'

/** The parts of a contract route that the types of a handler follow from. */
export interface RouteShape {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** HTTP status of success, 200 unless given. */
  readonly status?: number
  readonly params?: TSchema
  readonly query?: TSchema
  readonly headers?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
  /** Tokens of the tenant's budget, 1 unless given. */
  readonly cost?: number
  /** A value of the query that makes the call dearer. */
  readonly dearer?: { readonly query: string; readonly equals: number; readonly cost: number }
  readonly cap?: RouteCap
  readonly legacy?: Legacy
  /** A list of the body: `meta.index` of a refusal is the place of the entry that is refused. */
  readonly indexed?: string
  /** What an API key must be allowed; absent where callers hold none. */
  readonly scope?: RouteScope
}

type Part<S> = S extends TSchema ? Static<S> : undefined

export interface OperationRequest<R extends RouteShape, C> {
  readonly caller: C
  readonly params: Part<R['params']>
  readonly query: Part<R['query']>
  readonly body: Part<R['body']>
  /** The bytes that were sent, for what is signed; empty without a body. */
  readonly rawBody: Buffer
  /** `Idempotency-Key` where the route declares it; checked for presence and length already. */
  readonly idempotencyKey: string
  /** As they came, for what the shape does not say (`if-none-match`, `accept-encoding`). */
  readonly headers: IncomingHttpHeaders
  readonly log: RequestLog
}

export interface RequestLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * What a handler answers: the route's response shape, or bytes that were prepared beforehand (the whole
 * catalogue of prices is one buffer for each fee and currency).
 */
export class PreparedResponse {
  /** A text leaves in one write with its headers, and so do parts, of which none is copied. */
  readonly body: string | readonly Buffer[]
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  constructor(
    body: string | readonly Buffer[],
    headers: Readonly<Record<string, string>>,
    status = 200,
  ) {
    this.body = body
    this.headers = headers
    this.status = status
  }
}

/** Bytes that leave as they come, for as long as their reader takes them. */
export class StreamedResponse {
  readonly stream: Readable
  readonly headers: Readonly<Record<string, string>>
  constructor(stream: Readable, headers: Readonly<Record<string, string>>) {
    this.stream = stream
    this.headers = headers
  }
}

/** A route's response with headers of its own, such as a cookie. */
export class ResponseWithHeaders<T = unknown> {
  readonly data: T
  readonly headers: Readonly<Record<string, string | string[]>>
  constructor(data: T, headers: Readonly<Record<string, string | string[]>>) {
    this.data = data
    this.headers = headers
  }
}

export interface Operation<C = unknown, R extends RouteShape = RouteShape> {
  readonly route: R
  /** A principal without it gets FORBIDDEN, after the limits and before anything is looked up for it. */
  readonly permission: string
  readonly options: OperationOptions
  handle(request: OperationRequest<RouteShape, C>): Promise<unknown>
}

/** What the interface that has the operation minds when it resolves a caller. */
export interface OperationOptions {
  /** A suspended account gets ACCOUNT_SUSPENDED before the shape is looked at. Reads go on. */
  readonly refusesSuspended?: boolean
  /** It takes nothing from its caller but currency and fees, which may be a second old. */
  readonly takesRememberedCaller?: boolean
  /** The trade that an answer of it is about; a `tradeId` of its path is known without. */
  readonly tradeOf?: (answer: never) => string
  /** It takes what belongs to its caller on the platform, which the database is asked for each time. */
  readonly takesPlatformAccount?: boolean
}

export interface ConfirmedCaller {
  /** Refuses as the same call would be refused now. Asks the database. */
  confirm(): Promise<void>
}

export type Handler<R extends RouteShape, C> = (
  request: OperationRequest<R, C>,
) => Promise<
  | Static<R['response']>
  | PreparedResponse
  | StreamedResponse
  | ResponseWithHeaders<Static<R['response']>>
>

/** Ties a handler to its route; the handler's types follow from the contract. */
export const defineOperation = <R extends RouteShape, C>(
  { route, permission }: { readonly route: R; readonly permission: string },
  handle: Handler<R, C>,
  options: OperationOptions = {},
): Operation<C, R> => ({
  route,
  permission,
  options,
  handle: handle as unknown as Operation<C>['handle'],
})
