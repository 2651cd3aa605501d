// An HTTP interface as the server sees it: its operations, how it finds out who calls, and how it refuses.
// The server takes a list of them; they know nothing of each other.
import type { IncomingHttpHeaders } from 'node:http'
import type { Failure } from './failure.ts'
import type { LimitsPolicy } from './limits.ts'
import type { ConfirmedCaller, Operation, RouteShape } from './operation.ts'
import type { Principal } from './principal.ts'

/** What is known of a request before its body is read. */
export interface RequestHead {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly ip: string
}

export interface ApiInterface<
  P extends Principal = Principal,
  C extends ConfirmedCaller = ConfirmedCaller,
> {
  readonly name: string
  readonly operations: readonly Operation<C>[]
  /**
   * Whose credential the request carries. Throws the refusal. The operation is null for an address that
   * has none.
   */
  authenticate(request: RequestHead, operation: Operation<C> | null): P | Promise<P>
  /** Null lets every principal in. */
  readonly limits: LimitsPolicy<P> | null
  /** The caller as the handlers see it. Asked after credential, limits and permission. */
  resolveCaller(principal: P, request: RequestHead, operation: Operation<C>): C | Promise<C>
  /** Addresses that it knows only to refuse them. */
  readonly closedRoutes: readonly ClosedRoute[]
  /** Paths below which it answers what no route has. */
  readonly prefixes: readonly string[]
  answerUnmatched(request: RequestHead): Failure
}

export interface ClosedRoute {
  readonly methods: readonly RouteShape['method'][]
  /** `*` at the end stands for any rest. */
  readonly path: string
  refuse(request: RequestHead): Failure
}
