// The address of the page.
import type { FastifyInstance } from 'fastify'
import type { Edge } from '../shared/edge.ts'
import { type StatusPageDeps, statusPageHtml } from './status-page.ts'

/** Nothing inline, nothing from elsewhere, in no frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

export function addStatusPage(app: FastifyInstance, edge: Edge, deps: StatusPageDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/status',
    handler: (request, reply) => {
      edge.begin(request, reply, '/status')
      edge.commonHeaders(request, reply)
      reply.headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': POLICY,
      })
      reply.send(statusPageHtml(deps))
    },
  })
}
