import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Accepts callers on this machine only, and web pages only from this address. */
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
 * A foreign web page in a browser on this machine can reach loopback as well. Three headers identify it:
 * `Host`, when a DNS name points here; `Origin`; and `Sec-Fetch-Site` where there is no `Origin`, as for a
 * script or an image. Programs send neither of the last two, and a followed link has no `Origin`.
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
