// Addresses that no operation has. A request with a known key costs as much there as anywhere, so that
// guessing at addresses is no way around the limits.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LoopTurns } from '#infra/limits/loop-turns'
import { Refusal } from '#kernel/refusal'
import type { ApiInterface, ClosedRoute } from './api-interface.ts'
import type { Edge } from './edge.ts'
import type { Exchange } from './exchange.ts'
import { type Failure, notFound, slashTooMany } from './failure.ts'
import { type KnownRoutes, methodsOf } from './known-routes.ts'
import type { Principal } from './principal.ts'

/** What logs and metrics show for an address that no route has: the address itself could be anything. */
export const UNMATCHED = '(none)'

interface UnroutedDeps {
  readonly edge: Edge
  readonly inTurn: LoopTurns
}

export function addClosedRoute(
  app: FastifyInstance,
  { edge, inTurn }: UnroutedDeps,
  { api, closed }: { readonly api: ApiInterface; readonly closed: ClosedRoute },
): void {
  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    edge.begin(request, reply, closed.path)
    charge([api], request, inTurn).then(
      () => edge.answerFailure(request, reply, closed.refuse(request)),
      (error) => edge.fail(request, reply, error),
    )
  }
  app.route({
    method: closed.methods.flatMap(methodsOf),
    url: closed.path,
    config: { isClosed: true },
    onRequest: answer,
    handler: answer,
  })
}

export function answerUnmatched(
  app: FastifyInstance,
  { edge, inTurn, routes }: UnroutedDeps & { readonly routes: KnownRoutes },
  interfaces: readonly ApiInterface[],
): void {
  const failureOf = (request: FastifyRequest): Failure => {
    const [path = ''] = request.url.split('?', 1)
    const owner = interfaces.find(({ prefixes }) => prefixes.some((one) => isBelow(path, one)))
    const failure = owner ? owner.answerUnmatched(request) : notFound(request)
    const bare = path.replace(/\/+$/, '')
    return failure.key === 'NOT_FOUND' && bare !== path && routes.has(request.method, bare)
      ? slashTooMany(failure, request, bare)
      : failure
  }
  app.setNotFoundHandler((request, reply) => {
    edge.begin(request, reply, UNMATCHED)
    charge(interfaces, request, inTurn).then(
      () => edge.answerFailure(request, reply, failureOf(request)),
      (error) => edge.fail(request, reply, error),
    )
  })
}

const isBelow = (path: string, prefix: string): boolean =>
  path === prefix || path.startsWith(`${prefix}/`)

/**
 * Takes the price of a request from the first interface that knows its credential. Throws RATE_LIMITED when
 * there is nothing left to take; a caller that no interface knows is charged nothing. Ends in the turn of the
 * caller.
 */
export async function charge(
  interfaces: readonly ApiInterface[],
  request: FastifyRequest,
  inTurn: LoopTurns,
): Promise<void> {
  for (const api of interfaces) {
    const principal = await knownTo(api, request)
    if (principal === null) continue
    noteCaller(request.exchange, principal)
    await inTurn(request.exchange.tenantId)
    const admission = await api.limits?.admit({ principal, route: UNROUTED, query: request.query })
    if (admission?.refusal) throw admission.refusal
    return
  }
  await inTurn(null)
}

/** Leaves in the exchange who calls, and with which key. */
export function noteCaller(exchange: Exchange, { tenant, keyId, partnerId }: Principal): void {
  exchange.tenantId = tenant?.id ?? null
  if (tenant !== null && keyId !== undefined) {
    exchange.key = { id: keyId, ownerId: partnerId ?? tenant.id }
  }
}

const UNROUTED = { cost: 1 } as const

async function knownTo(api: ApiInterface, request: FastifyRequest) {
  try {
    return await api.authenticate(request, null)
  } catch (error) {
    // Without a route there is nothing to be refused: what is wrong with the key is not said here.
    if (error instanceof Refusal) return null
    throw error
  }
}
