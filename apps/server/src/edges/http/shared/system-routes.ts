// Routes about the server itself.
import type { FastifyInstance } from 'fastify'
import type { Edge } from './edge.ts'

export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'unready'
  /** By name, what was looked at; public, so without addresses and versions. */
  readonly checks: Readonly<Record<string, string>>
}

export interface SystemRoutesDeps {
  readonly edge: Edge
  /** Database reachable, its tables fit; without workers beating it is degraded, and in rotation. */
  readonly checkReady: () => Promise<Readiness>
}

export function addSystemRoutes(
  app: FastifyInstance,
  { edge, checkReady }: SystemRoutesDeps,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    handler: (request, reply) => {
      edge.begin(request, reply, '/healthz')
      edge.succeed(request, reply, 200, '{"status":"ok"}')
    },
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/readyz',
    handler: (request, reply) => {
      edge.begin(request, reply, '/readyz')
      checkReady()
        .then(({ status, checks }) => {
          if (status !== 'unready') {
            edge.succeed(request, reply, 200, JSON.stringify({ status, checks }))
            return
          }
          edge.answerFailure(request, reply, {
            status: 503,
            key: 'SERVICE_DISABLED',
            message: 'The service is not ready.',
            meta: { checks },
            retryAfterSeconds: 1,
          })
        })
        .catch((error) => edge.fail(request, reply, error))
    },
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: (request, reply) => {
      edge.begin(request, reply, '/')
      edge.commonHeaders(request, reply)
      reply.redirect('/docs', 302)
    },
  })
}
