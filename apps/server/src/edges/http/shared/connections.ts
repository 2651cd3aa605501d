// Connections of the HTTP server: how far one of them is read ahead, and how they end when the server drains.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Of one connection, at the same time. Hardly any client sends two before an answer. */
const MOST_UNDER_WAY = 16
/** How soon after its last answer a connection is closed while the server drains. */
const DRAIN_LOOK_MS = 25

export interface DrainLimits {
  /** For a request that is on its way when the server begins to drain: nothing of it has begun after that. */
  readonly drainArrivalMs: number
  /** For everything else: answers that their clients do not read keep no process from ending. */
  readonly drainMs: number
}

interface Connection {
  /** Requests that are not answered yet. */
  readonly underWay: Map<ServerResponse, IncomingMessage>
  /** Of these, what begins those that wait for their turn, in the order in which they came. */
  readonly waiting: (() => void)[]
}

export function boundConnections(app: FastifyInstance, limits: DrainLimits): void {
  const connections = new Map<Socket, Connection>()
  app.server.on('connection', (socket) => {
    connections.set(socket, { underWay: new Map(), waiting: [] })
    socket.once('close', () => connections.delete(socket))
  })
  // WebSockets end in their own way.
  app.server.on('upgrade', ({ socket }) => connections.delete(socket))
  // Before the application handles it, so that its hook finds the request under way.
  app.server.prependListener('request', (request, response) => {
    const { socket } = request
    const connection = connections.get(socket)
    if (connection === undefined) return
    const { underWay } = connection
    underWay.set(response, request)
    pauseWhileFull(socket, connection)
    response.once('close', () => {
      underWay.delete(response)
      // What waits on a connection that is gone is not begun.
      if (!socket.destroyed) beginNext(connection)
      if (underWay.size < MOST_UNDER_WAY && socket.isPaused()) socket.resume()
    })
  })
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const connection = connections.get(raw.socket)
    if (connection === undefined) return done()
    connection.waiting.push(done)
    beginNext(connection)
  })
  app.addHook('preClose', (done) => {
    if (app.server.listening) drain(app, connections, limits)
    done()
  })
}

/**
 * A connection with so many requests under way is not read until some of them are answered: what a client
 * sends ahead, RFC 9112 section 9.3.2, is kept by its own machine. What has been read, 64 kB at most, is two
 * thousand requests, which would hold up those of all others: as many begin as are answered. Node parses
 * them in one turn (about 10 ms): neither `highWaterMark` nor a pause, of socket or parser, ends it sooner.
 */
function pauseWhileFull(socket: Socket, { underWay }: Connection): void {
  if (underWay.size !== MOST_UNDER_WAY) return
  // Later in this tick: the end of each request that has been read makes Node read on.
  process.nextTick(() => {
    if (underWay.size >= MOST_UNDER_WAY) socket.pause()
  })
}

function beginNext({ underWay, waiting }: Connection): void {
  while (underWay.size - waiting.length < MOST_UNDER_WAY) {
    const begin = waiting.shift()
    if (begin === undefined) return
    begin()
  }
}

/**
 * Closing ends the connections that are idle at that moment. One whose request is still under way would
 * stay open after its answer for as long as its client likes, and the end of the process would wait. So
 * it would for a connection that was opened in advance, as browsers and proxies do, and for one that sends
 * a head or a body a byte at a time: to Node those are busy.
 */
function drain(
  app: FastifyInstance,
  connections: ReadonlyMap<Socket, Connection>,
  { drainArrivalMs, drainMs }: DrainLimits,
): void {
  const begunMs = performance.now()
  const isKept = (socket: Socket, { underWay }: Connection, passedMs: number): boolean => {
    if (passedMs >= drainMs) return false
    if (passedMs < drainArrivalMs) return socket.bytesRead > 0
    return [...underWay.values()].some(({ complete }) => complete)
  }
  const look = (): void => {
    app.server.closeIdleConnections()
    const passedMs = performance.now() - begunMs
    for (const [socket, connection] of connections) {
      if (!isKept(socket, connection, passedMs)) socket.destroy()
    }
  }
  const timer = setInterval(look, DRAIN_LOOK_MS)
  app.server.once('close', () => clearInterval(timer))
}
