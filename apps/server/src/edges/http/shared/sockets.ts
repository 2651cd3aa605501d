// Addresses that are WebSockets: an upgrade request is handed over, and any other request is refused.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { LoopTurns } from '#infra/limits/loop-turns'
import type { Edge } from './edge.ts'
import { refused } from './failure.ts'

export interface SocketEdge {
  readonly paths: readonly string[]
  /** Takes over a connection that asked to become a WebSocket. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/**
 * True for a handshake of RFC 6455, section 4.2.1, to a socket's address. Any other request that would like
 * another protocol (curl asks for HTTP/2) is answered as if it had not asked, which the protocol allows;
 * `ws` would refuse a handshake that is not well-formed without an envelope.
 */
export const asksForSocket = (
  { paths }: Pick<SocketEdge, 'paths'>,
  { url = '', method, headers }: IncomingMessage,
): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  paths.includes(url.split('?', 1)[0] ?? '') &&
  method === 'GET' &&
  headers['sec-websocket-version'] === VERSION &&
  KEY.test(headers['sec-websocket-key'] ?? '') &&
  areProtocols(headers['sec-websocket-protocol'] ?? '-')

const VERSION = '13'
/** Sixteen bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{22}==$/
const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const PROTOCOLS = new RegExp(`^${TOKEN}([ \\t]*,[ \\t]*${TOKEN})*$`)

/** Each may be named once. */
function areProtocols(text: string): boolean {
  const names = text.split(',').map((name) => name.trim())
  return PROTOCOLS.test(text) && new Set(names).size === names.length
}

/** Handshakes take turns with requests whose caller is not known yet. */
export function addSockets(
  app: FastifyInstance,
  { edge, inTurn }: { readonly edge: Edge; readonly inTurn: LoopTurns },
  sockets: SocketEdge,
): void {
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const turn = inTurn(null)
    if (turn === null) return sockets.accept(request, socket, head)
    // Until its turn has come no other code listens to this socket.
    socket.on('error', () => {})
    void turn.then(() => {
      if (!socket.destroyed) sockets.accept(request, socket, head)
    })
  })
  for (const path of sockets.paths) {
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: (request, reply) => {
        edge.begin(request, reply, path)
        reply.header('upgrade', 'websocket')
        reply.header('sec-websocket-version', VERSION)
        edge.answerFailure(request, reply, {
          ...refused('BAD_REQUEST'),
          message: 'This address is a WebSocket.',
        })
      },
    })
  }
}
