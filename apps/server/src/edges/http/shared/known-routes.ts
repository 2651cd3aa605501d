// What the server has at which address: HEAD beside each GET, the answer to OPTIONS, and the right spelling
// of an address that has a slash too many.
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { Edge } from './edge.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered with a refusal, as an address that nothing has. */
    readonly isClosed?: boolean
  }
}

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
  app.addHook('onRoute', (route) => {
    if (route.config?.isClosed) return
    const { url, method } = route
    const known = methods.get(url) ?? new Set()
    for (const one of [method].flat()) known.add(one)
    methods.set(url, known)
    if (url.includes('/:'))
      route.onRequest = [refuseEmptySegment, ...[route.onRequest ?? []].flat()]
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

/** The slash that ends a list's address is not the id of one of its members. */
const refuseEmptySegment: onRequestHookHandler = (request, reply, next) => {
  const isEmpty = Object.entries(request.params ?? {}).some(
    ([name, value]) => name !== '*' && value === '',
  )
  if (isEmpty) reply.callNotFound()
  else next()
}

/** A segment that begins with a colon stands for any. */
function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((segment, i) => segment.startsWith(':') || segment === given[i])
  )
}
