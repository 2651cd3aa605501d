// One operation of an HTTP interface: a route of the contract and the function that answers it. The
// server (server.ts) does everything around it: key, caller, shape, envelope, log and metrics.
import type { IncomingHttpHeaders } from 'node:http'
import type { RouteCap, Tier } from '@tradepost/contract'
import type { Static, TSchema } from 'typebox'

/** Who is asking, known before any handler runs. */
export interface Caller {
  readonly requestId: string
  readonly merchant: MerchantCaller
  /** Present when `On-Behalf-Of` named a sub-user; user routes then run as that sub-user. */
  readonly subUser: SubUserCaller | null
  /** The account that user routes act for: the sub-user, else the merchant itself. */
  readonly account: AccountCaller
}

export interface MerchantCaller {
  readonly id: string
  readonly keyId: string
  readonly currency: 'USD' | 'EUR'
  /** How much it may ask. */
  readonly tier: Tier
}

export interface SubUserCaller {
  readonly id: string
  readonly status: 'active' | 'suspended'
}

export interface AccountCaller {
  readonly id: string
  readonly merchantId: string
  readonly role: 'merchant' | 'sub_user'
  readonly currency: 'USD' | 'EUR'
  /** The linked platform account, set by the first trade URL. */
  readonly platformId: string | null
  /** What the house takes of a buy, after all fallbacks, in basis points. */
  readonly houseFeeBps: number
  /** What the merchant adds to a buy: 0 for the merchant's own. */
  readonly merchantBuyFeeBps: number
  readonly merchantSellFeeBps: number
  readonly primaryTradeUrl: { readonly url: string; readonly platformId: string } | null
}

/** The parts of a contract route that the types of a handler follow from. */
export interface RouteShape {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** `merchant` routes refuse `On-Behalf-Of`; `user` routes run as the account that it names. */
  readonly context: 'merchant' | 'user'
  /** HTTP status of success, 200 unless told. */
  readonly status?: number
  readonly params?: TSchema
  readonly query?: TSchema
  readonly headers?: TSchema
  readonly body?: TSchema
  readonly response: TSchema
  /** Tokens of the merchant's budget, 1 unless told. */
  readonly cost?: number
  /** A value of the query that makes the call dearer. */
  readonly dearer?: { readonly query: string; readonly equals: number; readonly cost: number }
  readonly cap?: RouteCap
}

type Part<S> = S extends TSchema ? Static<S> : undefined

export interface OperationRequest<R extends RouteShape> {
  readonly caller: Caller
  readonly params: Part<R['params']>
  readonly query: Part<R['query']>
  readonly body: Part<R['body']>
  /** `Idempotency-Key` where the route declares it; checked for presence and length already. */
  readonly idempotencyKey: string
  /** As they came, for what the shape does not say (`if-none-match`, `accept-encoding`). */
  readonly headers: IncomingHttpHeaders
  readonly log: RequestLog
}

export interface RequestLog {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
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

export interface Operation {
  readonly route: RouteShape
  readonly options: OperationOptions
  handle(request: OperationRequest<RouteShape>): Promise<unknown>
}

export interface OperationOptions {
  /** A suspended sub-user gets ACCOUNT_SUSPENDED before the shape is looked at. Reads go on. */
  readonly refusesSuspended?: boolean
  /** It takes nothing from its caller but currency and fees, which may be a second old. */
  readonly takesRememberedCaller?: boolean
}

/** Ties a handler to its route; the handler's types follow from the contract. */
export const operation = <R extends RouteShape>(
  route: R,
  handle: (request: OperationRequest<R>) => Promise<Static<R['response']> | PreparedResponse>,
  options: OperationOptions = {},
): Operation => ({ route, options, handle: handle as unknown as Operation['handle'] })
