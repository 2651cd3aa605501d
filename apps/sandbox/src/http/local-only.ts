import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Lets in callers on this machine, and of web pages only those that this very address has sent. */
export function requireLocalCaller(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const peer = request.socket.remoteAddress ?? ''
    if (isLoopbackAddress(peer) && isMeantForUs(request)) return
    return reply.code(403).send({ error: 'The control interface answers this machine only.' })
  })
}

/** The peer of the connection itself: a forwarding header proves nothing. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '')
  return plain === '::1' || plain.startsWith('127.')
}

/**
 * A web page of somebody else, open in a browser on this machine, reaches loopback as well. The browser
 * tells on it in three ways: by the `Host` when a name of the page's own was pointed here, by the
 * `Origin` of what it sends, and by `Sec-Fetch-Site` where there is no `Origin`, as with a script or an
 * image. A program sends none of the last two; a person who follows a link sends no `Origin`.
 */
function isMeantForUs({ headers, method }: FastifyRequest): boolean {
  const host = headers.host ?? 'localhost'
  if (!isLoopbackHost(host)) return false
  if (headers.origin !== undefined) return headers.origin === `http://${host}`
  const site = headers['sec-fetch-site'] ?? 'none'
  const isVisit = headers['sec-fetch-mode'] === 'navigate' && method === 'GET'
  return site === 'none' || site === 'same-origin' || isVisit
}

function isLoopbackHost(host: string): boolean {
  const address = `http://${host}`
  if (!URL.canParse(address)) return false
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(new URL(address).hostname)
}
