// Where a weakness is reported, for machines and people who look for it (RFC 9116).
import type { FastifyInstance } from 'fastify'
import type { Clock } from '#infra/process/clock'
import type { Edge } from './edge.ts'

export interface SecurityTxtDeps {
  /** A `mailto:`, `https:` or `tel:` URI. */
  readonly contact: string
  /** The origin that browsers see; asked while a request is answered. */
  publicUrl(): string
}

const URL = '/.well-known/security.txt'
/** A copy that is older says nothing any more; the file is written anew with each answer. */
const GOOD_FOR_MS = 180 * 86_400_000

export function addSecurityTxt(
  app: FastifyInstance,
  edge: Edge,
  { contact, publicUrl, clock }: SecurityTxtDeps & { readonly clock: Clock },
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: URL,
    handler: (request, reply) => {
      edge.begin(request, reply, URL)
      edge.commonHeaders(request, reply)
      reply.header('content-type', 'text/plain; charset=utf-8')
      reply.header('cache-control', 'no-store')
      const expires = new Date(clock.now().getTime() + GOOD_FOR_MS)
      const fields = [
        ['Contact', contact],
        ['Expires', expires.toISOString()],
        ['Preferred-Languages', 'en'],
        ['Canonical', `${publicUrl()}${URL}`],
      ]
      reply.send(fields.map(([name, value]) => `${name}: ${value}\r\n`).join(''))
    },
  })
}
