// What the server has at which address: HEAD beside each GET, the answer to OPTIONS, and the right spelling
// of an address that has a slash too many.
import type { FastifyInstance } from 'fastify'
import type { Edge } from './edge.ts'

/** HEAD is answered as GET is (RFC 9110, 9.3.2); Node leaves the body out. */
export const methodsOf = (method: string): string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method]

/** Changes nothing. */
export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

export interface KnownRoutes {
  /** Whether a method has a route at a path. */
  has(method: string, path: string): boolean
  /** OPTIONS of each address; called when all other routes are there. */
  answerOptions(edge: Edge): void
}

/** Notes every route that is added from now on. */
export function noteRoutes(app: FastifyInstance): KnownRoutes {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    for (const one of [method].flat()) known.add(one)
    methods.set(url, known)
  })
  // The slash that ends a list's address is not the id of one of its members.
  app.addHook('onRequest', (request, reply, next) => {
    if (hasEmptySegment(request.params)) reply.callNotFound()
    else next()
  })
  return {
    has: (method, path) =>
      [...methods].some(([pattern, known]) => known.has(method) && fits(pattern, path)),
    answerOptions: (edge) => {
      for (const [url, known] of [...methods]) {
        const allow = [...known, 'OPTIONS'].join(', ')
        app.route({
          method: 'OPTIONS',
          url,
          handler: (request, reply) => {
            // Of the server as a whole (RFC 9110, 9.3.7) there is nothing to say.
            if (request.url === '*') return reply.callNotFound()
            edge.begin(request, reply, url)
            edge.commonHeaders(request, reply)
            reply.code(204).header('allow', allow).send()
          },
        })
      }
    },
  }
}

const hasEmptySegment = (params: unknown): boolean =>
  Object.entries(params ?? {}).some(([name, value]) => name !== '*' && value === '')

/** A segment that begins with a colon stands for any. */
function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((segment, i) => segment.startsWith(':') || segment === given[i])
  )
}
