import type { WebSocket } from 'ws'
import { type SocketRoute, sendText } from '../../http/sockets.ts'
import { throwHex } from '../../kernel/dice.ts'
import { millsToDecimal } from '../../kernel/mills.ts'
import { createMessageFeed } from '../message-feed.ts'
import { cheapestOf } from '../orders.ts'
import type { MarketADeps } from './deps.ts'

const CHANNEL = 'public:items:730:usd'
const FLUSH_MS = 50

/** Centrifugo's own numbers. */
const ERROR_UNKNOWN_CHANNEL = 102
const ERROR_PERMISSION_DENIED = 103
const INVALID_TOKEN = 3500
const BAD_REQUEST = 3501
const NO_PONG = 3012

/** The price hints of market A: a name and its lowest price, nothing about listings or orders. */
export interface MarketASocket {
  readonly route: SocketRoute
  issueToken(account: string): string
  expireTokens(): void
  cutSockets(): void
  duplicateMessages(): void
  close(): void
}

interface Client {
  readonly socket: WebSocket
  isConnected: boolean
  isSubscribed: boolean
  isAwaitingPong: boolean
}

export function createMarketASocket(
  deps: MarketADeps,
  nameIds: ReadonlyMap<string, number>,
): MarketASocket {
  const { clock, settings, switches } = deps
  const clients = new Set<Client>()
  const tokens = createTokens(deps)
  const prices = watchPrices(deps, nameIds, (frame) => {
    for (const client of clients) if (client.isSubscribed) sendText(client.socket, frame)
  })

  const ping = setInterval(() => {
    for (const client of clients) {
      if (!client.isConnected) continue
      if (client.isAwaitingPong) client.socket.close(NO_PONG, 'no pong')
      client.isAwaitingPong = true
      sendText(client.socket, '{}')
    }
  }, settings.socketPingMs)
  ping.unref()

  const accept = (socket: WebSocket): void => {
    const client: Client = {
      socket,
      isConnected: false,
      isSubscribed: false,
      isAwaitingPong: false,
    }
    clients.add(client)
    socket.on('close', () => clients.delete(client))
    socket.on('message', (data) => {
      for (const line of String(data).split('\n')) {
        if (line.trim() !== '') obey(client, line, tokens, settings.socketPingMs, clock.nowMs())
      }
    })
  }
  const cutSockets = (): void => {
    for (const client of clients) client.socket.terminate()
  }
  switches.onOffline((id) => {
    if (id === 'market_a') cutSockets()
  })

  return {
    route: {
      path: '/market-a/connection/websocket',
      refuse: () => (switches.of('market_a').online ? null : '502 Bad Gateway'),
      accept,
    },
    issueToken: tokens.issue,
    expireTokens() {
      tokens.expireAll()
      cutSockets()
    },
    cutSockets,
    duplicateMessages: prices.duplicateMessages,
    close() {
      clearInterval(ping)
      prices.stop()
    },
  }
}

interface Tokens {
  issue(account: string): string
  isGood(token: unknown, nowMs: number): boolean
  expireAll(): void
}

function createTokens({ clock, settings }: MarketADeps): Tokens {
  const expiryMs = new Map<string, number>()
  let issued = 0
  return {
    issue(account) {
      issued += 1
      const token = throwHex(48, 'socket', account, issued, clock.nowMs())
      for (const [old, atMs] of expiryMs) if (atMs <= clock.nowMs()) expiryMs.delete(old)
      expiryMs.set(token, clock.nowMs() + settings.tokenLifeMs)
      return token
    },
    isGood: (token, nowMs) => typeof token === 'string' && (expiryMs.get(token) ?? 0) > nowMs,
    expireAll: () => expiryMs.clear(),
  }
}

interface Command {
  readonly id?: unknown
  readonly connect?: { readonly token?: unknown }
  readonly subscribe?: { readonly channel?: unknown }
}

/** Answers one command. The older form with `method` and `params` is not understood any more. */
function obey(client: Client, line: string, tokens: Tokens, pingMs: number, nowMs: number): void {
  const command = parse(line)
  if (command === null) {
    client.socket.close(BAD_REQUEST, 'bad request')
    return
  }
  if (Object.keys(command).length === 0) {
    client.isAwaitingPong = false
    return
  }
  const answer = (body: Record<string, unknown>): void =>
    sendText(client.socket, JSON.stringify({ id: command.id, ...body }))
  if (command.connect !== undefined) {
    if (!tokens.isGood(command.connect.token, nowMs)) {
      answer({ error: { code: INVALID_TOKEN, message: 'invalid token' } })
      client.socket.close(INVALID_TOKEN, 'invalid token')
      return
    }
    client.isConnected = true
    const ping = Math.ceil(pingMs / 1000)
    answer({
      connect: { client: throwHex(32, 'client', nowMs), version: '5.4.9', ping, pong: true },
    })
    return
  }
  if (command.subscribe !== undefined) {
    if (!client.isConnected)
      answer({ error: { code: ERROR_PERMISSION_DENIED, message: 'permission denied' } })
    else if (command.subscribe.channel !== CHANNEL) {
      answer({ error: { code: ERROR_UNKNOWN_CHANNEL, message: 'unknown channel' } })
    } else {
      client.isSubscribed = true
      answer({ subscribe: {} })
    }
    return
  }
  client.socket.close(BAD_REQUEST, 'bad request')
}

function parse(line: string): Command | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** Collects the names whose listings changed and sends their lowest prices, many in one frame. */
function watchPrices(
  { keeper }: MarketADeps,
  nameIds: ReadonlyMap<string, number>,
  broadcast: (frame: string) => void,
) {
  const changed = new Set<string>()
  const messages = createMessageFeed<string>(broadcast)
  let timer: NodeJS.Timeout | null = null

  const flush = (): void => {
    timer = null
    const lines: string[] = []
    for (const name of changed) {
      const cheapest = cheapestOf(keeper.dataset.listingsOf('market_a', name))
      // The removal of the last listing is not sent: the channel carries prices only.
      if (cheapest === null) continue
      const data = { name_id: nameIds.get(name), price: millsToDecimal(cheapest.priceMills) }
      lines.push(JSON.stringify({ push: { channel: CHANNEL, pub: { data } } }))
    }
    changed.clear()
    if (lines.length > 0) messages.publish(lines.join('\n'))
  }
  keeper.subscribe(({ listing }) => {
    if (listing.market !== 'market_a') return
    changed.add(listing.asset.item.marketHashName)
    timer ??= setTimeout(flush, FLUSH_MS)
  })

  return {
    duplicateMessages: () => messages.repeatNext(DUPLICATED_MESSAGES),
    stop: () => clearTimeout(timer ?? undefined),
  }
}

/** How many messages one `duplicate_news` repeats. */
const DUPLICATED_MESSAGES = 20
