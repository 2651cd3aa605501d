// From a request to upgrade to an open socket. The handshake is always finished first: only an open
// WebSocket can receive a close code. Then the checks, in one order: token present, valid, budget, account,
// scope, caps.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  LIVE_CLOSE_CODES,
  LIVE_SCOPES,
  type LiveScope,
  type WsTokenScope,
} from '@tradepost/contract'
import { WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '#infra/process/clock'
import type { PriceTag } from '#pricing'
import type { ConnectionSlots } from '#sockets'
import type { WsClaims, WsTokens } from '../shared/ws-token.ts'
import { LiveSocket, type SocketMeters } from './live-socket.ts'
import type { ReadFilter, SocketFilter } from './read-filter.ts'

/** An account as far as its sockets go. */
export interface LiveAccount {
  readonly id: string
  readonly tag: PriceTag
}

export interface Admitted {
  readonly socket: LiveSocket
  readonly channel: WsTokenScope
  readonly account: LiveAccount
  readonly scope: LiveScope
  /** Of scope=filter, and of no other. */
  readonly filter: SocketFilter | null
  readonly sinceMs: number | 'unknown' | null
  readonly wantsHeartbeat: boolean
}

export interface AcceptDeps {
  readonly tokens: Pick<WsTokens, 'read'>
  readonly clock: Clock
  readonly meters: SocketMeters
  /** Takes the cost of opening a socket; false when the budget of the tenant or person has no more. */
  admit(claims: WsClaims): Promise<boolean>
  readonly readFilter: ReadFilter
  /** Null when the account may have no socket. */
  findAccount(claims: WsClaims): Promise<LiveAccount | null>
  readonly slots: Pick<ConnectionSlots, 'take' | 'release'>
  /** The socket is open and counted; from here on it is its channel's. */
  onOpen(admitted: Admitted): Promise<void>
  onEnd(socket: LiveSocket): void
  onError(error: unknown): void
}

/** By path, the channel and the scope that its token must carry. */
export const SOCKET_PATHS: ReadonlyMap<string, WsTokenScope> = new Map([
  ['/market/live', 'market'],
  ['/user/live', 'user'],
])

/** Control frames are not longer. Anything longer is a frame that a client must not send. */
const MAX_PAYLOAD_BYTES = 125
/** Checks that take longer, because a database is away, are given up. */
const OPEN_TIMEOUT_MS = 10_000

export type Accept = (request: IncomingMessage, raw: Duplex, head: Buffer) => void

export function createAccept(deps: AcceptDeps): Accept {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_PAYLOAD_BYTES,
    WebSocket: ReadOnlyWebSocket,
  })
  return (request, raw, head) => {
    const { path, query } = addressOf(request.url ?? '')
    const channel = SOCKET_PATHS.get(path)
    if (channel === undefined) {
      raw.destroy()
      return
    }
    server.handleUpgrade(request, raw, head, (ws) => {
      // `ws` says by closing what went wrong.
      ws.on('error', () => {})
      open(deps, { ws, raw: raw as Socket, channel, query }).catch((error) => {
        deps.onError(error)
        refuse(deps, ws, TRY_LATER)
      })
    })
  }
}

interface Opening {
  readonly ws: WebSocket
  readonly raw: Socket
  readonly channel: WsTokenScope
  readonly query: URLSearchParams
}

type Closing = readonly [code: number, reason: string]
const TRY_LATER: Closing = [LIVE_CLOSE_CODES.slow, 'Try again later']

async function open(deps: AcceptDeps, opening: Opening): Promise<void> {
  const { ws, raw, channel, query } = opening
  // From the first moment on: who sends anything is not what this channel is for.
  ws.on('message', () => refuse(deps, ws, [LIVE_CLOSE_CODES.readOnly, 'Read-only']))
  const timer = setTimeout(() => refuse(deps, ws, TRY_LATER), OPEN_TIMEOUT_MS)
  try {
    const checked = await check(deps, channel, query)
    if (!('account' in checked)) {
      refuse(deps, ws, checked)
      return
    }
    const { claims, account, scope, filter } = checked
    const { accountId, tenantId, session: ofPerson } = claims
    // A person's are counted beside those of the merchant: its readers take none of its slots.
    const slot =
      ofPerson === null
        ? { channel, accountId, tenantId }
        : { channel, accountId: ofPerson.personId, tenantId: ofPerson.personId }
    if ((await deps.slots.take(slot)) !== 'taken') {
      refuse(deps, ws, [LIVE_CLOSE_CODES.tooMany, 'Too many'])
      return
    }
    if (ws.readyState !== WebSocket.OPEN) {
      deps.slots.release(slot)
      return
    }
    const socket = new LiveSocket(ws, raw, claims, deps.meters)
    ws.on('close', () => {
      socket.ended()
      deps.onEnd(socket)
      deps.slots.release(slot)
    })
    const wantsHeartbeat = query.get('heartbeat') === '1'
    const sinceMs = sinceOf(query)
    await deps.onOpen({ socket, channel, account, scope, filter, sinceMs, wantsHeartbeat })
  } finally {
    clearTimeout(timer)
  }
}

interface Checked {
  readonly claims: WsClaims
  readonly account: LiveAccount
  readonly scope: LiveScope
  readonly filter: SocketFilter | null
}

async function check(
  { tokens, clock, admit, findAccount, readFilter }: AcceptDeps,
  channel: WsTokenScope,
  query: URLSearchParams,
): Promise<Checked | Closing> {
  const token = query.get('token')
  if (token === null || token === '') return [LIVE_CLOSE_CODES.token, 'Missing token']
  const claims = tokens.read(token, clock.now())
  if (claims === null) return [LIVE_CLOSE_CODES.token, 'Invalid token']
  // Before anything is asked of the database: a token opens as many sockets as its holder tries to open.
  if (!(await admit(claims))) return TRY_LATER
  const account = await findAccount(claims)
  if (account === null) return [LIVE_CLOSE_CODES.token, 'Invalid token']
  const scope = LIVE_SCOPES.find((one) => one === (query.get('scope') ?? 'all'))
  const isGranted = claims.scopes.includes(channel)
  if (!isGranted || (channel === 'market' && scope === undefined)) {
    return [LIVE_CLOSE_CODES.scope, 'Missing scope']
  }
  if (channel !== 'market' || scope === undefined) {
    return { claims, account, scope: 'all', filter: null }
  }
  const filter = readFilter(query, scope)
  if (filter !== null && 'problem' in filter) {
    return [LIVE_CLOSE_CODES.scope, reasonOf(`Bad filter: ${filter.problem}`)]
  }
  return { claims, account, scope, filter }
}

/** A close frame has room for 123 bytes. */
const reasonOf = (text: string): string => text.replace(/[^ -~]/g, '?').slice(0, 123)

function refuse({ meters }: AcceptDeps, ws: WebSocket, [code, reason]: Closing): void {
  if (ws.readyState !== WebSocket.OPEN) return
  meters.onClosed(code)
  ws.close(code, reason)
  setTimeout(() => ws.terminate(), REFUSED_TIMEOUT_MS).unref()
}

/** A refused client has this long to say goodbye. */
const REFUSED_TIMEOUT_MS = 2000

/** A payload over the limit is closed with 1009 by `ws`; here it is a frame like any other. */
class ReadOnlyWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    if (code === 1009) super.close(LIVE_CLOSE_CODES.readOnly, 'Read-only')
    else super.close(code, reason)
  }
}

const addressOf = (url: string): { path: string; query: URLSearchParams } => {
  const mark = url.indexOf('?')
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) }
}

const sinceOf = (query: URLSearchParams): number | 'unknown' | null => {
  const since = query.get('since')
  if (since === null) return null
  return /^\d{1,15}$/.test(since) ? Number(since) : 'unknown'
}
