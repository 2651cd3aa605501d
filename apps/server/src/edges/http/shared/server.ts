// The HTTP edge: it knows bytes, headers, shapes and envelopes, and nothing of the business.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, fastify } from 'fastify'
import { createLines } from '#infra/limits/lines'
import { createLoopTurns, type LoopTurns } from '#infra/limits/loop-turns'
import type { Clock } from '#infra/process/clock'
import type { RootLog } from '#infra/process/log'
import { newId } from '#kernel/id'
import { addDocs, type DocsDeps } from '../docs/docs.ts'
import type { ApiInterface } from './api-interface.ts'
import { readBody } from './body.ts'
import { createClientErrorHandler } from './client-errors.ts'
import { boundConnections, type DrainLimits } from './connections.ts'
import { createEdge, type Edge } from './edge.ts'
import type { Answered, AnsweredWith } from './exchange.ts'
import { unreadable } from './failure.ts'
import { noteRoutes } from './known-routes.ts'
import { addOperation } from './operation-route.ts'
import { addPages, type PagesDeps } from './pages.ts'
import { addSecurityTxt, type SecurityTxtDeps } from './security-txt.ts'
import { createShapeCompiler, type Formats } from './shape.ts'
import { addSockets, asksForSocket, type SocketEdge } from './sockets.ts'
import { addSystemRoutes, type Readiness } from './system-routes.ts'
import { addClosedRoute, answerUnmatched, UNMATCHED } from './unrouted.ts'

export interface ServerDeps {
  readonly interfaces: readonly ApiInterface[]
  readonly checkReady: () => Promise<Readiness>
  readonly docs: DocsDeps
  /** Where a weakness is reported; null: not said. */
  readonly security?: SecurityTxtDeps | null
  /** Further addresses, such as a page that is made for each request. */
  readonly addRoutes?: (app: FastifyInstance, edge: Edge) => void
  /** A single-page application, where there is one. */
  readonly pages?: PagesDeps | null
  /** The addresses that are WebSockets. */
  readonly sockets?: SocketEdge
  /** The checks behind the formats that the contract's schemas name. */
  readonly formats: Formats
  readonly log: RootLog
  readonly clock: Clock
  /** Reports every request that is over: metrics, and the requests of keys. */
  readonly onAnswered?: (answered: Answered, exchange: AnsweredWith) => void
  /** Addresses and CIDR blocks whose `X-Forwarded-For` and `-Proto` are believed. */
  readonly trustedProxies: readonly string[]
  readonly limits?: Partial<ServerLimits>
  /** What else of the process takes turns with its requests. */
  readonly inTurn?: LoopTurns
}

export interface ServerLimits extends DrainLimits {
  readonly bodyBytes: number
  readonly headerBytes: number
  /** For the whole request to arrive. */
  readonly requestTimeoutMs: number
  readonly headersTimeoutMs: number
  /** A connection on which nothing moves, an answer that is not read included. */
  readonly idleTimeoutMs: number
  /** A body that arrives later than this after its caller was identified has the caller asked about again. */
  readonly slowBodyMs: number
  /** How often arrivals are compared with their deadlines. */
  readonly timeoutCheckMs: number
}

const DEFAULT_LIMITS: ServerLimits = {
  bodyBytes: 256 * 1024,
  headerBytes: 16 * 1024,
  requestTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  idleTimeoutMs: 60_000,
  slowBodyMs: 100,
  timeoutCheckMs: 2_000,
  drainArrivalMs: 1_000,
  // Less than a process waits for one step of its stop.
  drainMs: 9_000,
}

/** The server, ready to listen. Closing it lets requests under way finish. */
export async function createServer(deps: ServerDeps): Promise<FastifyInstance> {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits }
  const { log } = deps
  const { slowBodyMs } = limits
  const newRequestId = (): string => newId(deps.clock.now().getTime())
  const refuseBytes = createClientErrorHandler({ log, newRequestId })
  const edge = createEdge({
    log,
    onAnswered: deps.onAnswered,
    behindProxy: deps.trustedProxies.length > 0,
  })

  const app: FastifyInstance = fastify({
    logger: false,
    genReqId: newRequestId,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.idleTimeoutMs,
    keepAliveTimeout: 65_000,
    exposeHeadRoutes: false,
    // While it drains, a request on a connection that is still open is answered as ever.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    trustProxy: deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    // An id that is too long is a matter of shape; the headers' limit bounds the path.
    routerOptions: { maxParamLength: limits.headerBytes },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      connectionsCheckingInterval: limits.timeoutCheckMs,
      // Node would answer a request without Host by itself and without an envelope: see namesOneHost.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) =>
        deps.sockets !== undefined && namesOneHost(request) && asksForSocket(deps.sockets, request),
    },
    clientErrorHandler: refuseBytes,
    frameworkErrors: (_error, request, reply) => {
      edge.begin(request, reply, UNMATCHED)
      edge.answerFailure(request, reply, unreadable(400, 'The address cannot be read.'))
    },
  })
  app.decorateRequest('exchange')
  app.addHook('onRequest', (request, reply, done) => {
    if (namesOneHost(request.raw)) return done()
    edge.begin(request, reply, UNMATCHED)
    edge.answerFailure(request, reply, unreadable(400, 'HTTP/1.1 requires one Host header.'))
  })
  app.server.on('checkExpectation', (req, res) => app.routing(req, res))
  // This is no proxy: left alone, Node closes the connection of a CONNECT without an answer.
  app.server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => {})
    refuseBytes(new Error('CONNECT'), socket)
  })

  // One parser for whatever is sent; it decides by itself what it takes, which is JSON alone.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, payload, done) => {
    if (request.is404) done(null, undefined)
    else readBody(payload, limits.bodyBytes, (body) => done(null, body))
  })
  app.setErrorHandler((error, request, reply) => {
    if (!request.exchange) edge.begin(request, reply, UNMATCHED)
    edge.fail(request, reply, error)
  })
  boundConnections(app, limits)

  const shapes = createShapeCompiler(deps.formats)
  const { inTurn = createLoopTurns() } = deps
  const routes = noteRoutes(app)
  const inLine = createLines()
  answerUnmatched(app, { edge, inTurn, routes }, deps.interfaces)
  for (const api of deps.interfaces) {
    for (const operation of api.operations) {
      addOperation(
        app,
        { edge, shapes, api, interfaces: deps.interfaces, log, inTurn, inLine, slowBodyMs },
        operation,
      )
    }
    for (const closed of api.closedRoutes) addClosedRoute(app, { edge, inTurn }, { api, closed })
  }
  addSystemRoutes(app, { edge, checkReady: deps.checkReady })
  if (deps.security) addSecurityTxt(app, edge, { ...deps.security, clock: deps.clock })
  addDocs(app, edge, deps.docs)
  deps.addRoutes?.(app, edge)
  if (deps.pages) await addPages(app, edge, deps.pages)
  if (deps.sockets) addSockets(app, { edge, inTurn }, deps.sockets)
  routes.answerOptions(edge)

  await app.ready()
  return app
}

/**
 * RFC 9112, section 3.2: from HTTP/1.1 on a request without a Host, or with several, is refused with 400.
 * Of several, a proxy in front of us may have believed another one.
 */
function namesOneHost({
  httpVersionMajor,
  httpVersionMinor,
  rawHeaders,
}: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1 || (hosts === 0 && httpVersionMajor === 1 && httpVersionMinor === 0)
}
