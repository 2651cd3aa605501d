// Operations that a person does in the dashboard. A key that tries one learns that, not "no such route".
import { API_KEY_HEADER } from '@tradepost/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Edge } from './edge.ts'
import { refused } from './failure.ts'
import type { RouteShape } from './operation.ts'

export interface DashboardOnlyRoute {
  readonly methods: readonly RouteShape['method'][]
  /** `*` at the end stands for any rest. */
  readonly path: string
}

export function addDashboardOnly(
  app: FastifyInstance,
  edge: Edge,
  { methods, path }: DashboardOnlyRoute,
): void {
  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    edge.begin(request, reply, path)
    // Any key is refused alike, so nothing is looked up and nothing is told about it.
    const { headers } = request
    const hasKey = headers[API_KEY_HEADER] !== undefined || headers['x-api-key'] !== undefined
    edge.answerFailure(request, reply, refused(hasKey ? 'FORBIDDEN' : 'UNAUTHENTICATED'))
  }
  app.route({ method: [...methods], url: path, onRequest: answer, handler: answer })
}
