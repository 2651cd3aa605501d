import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import type { ListingChange } from '../../dataset/types.ts'
import type { ChangeCause } from '../../dataset-keeper.ts'
import { type SocketRoute, sendText } from '../../http/sockets.ts'
import { throwHex } from '../../kernel/dice.ts'
import { createMessageFeed, type MessageFeed } from '../message-feed.ts'
import { type Order, offerIdOf } from '../order.ts'
import type { MarketBDeps } from './deps.ts'
import { viewFeedItem, viewGone } from './listing-view.ts'
import type { MarketBNames } from './names.ts'
import { sendUntilMs, statusOf, tradeIdOf } from './trade-view.ts'

const FLUSH_MS = 20
/** How many messages one `duplicate_news` repeats. */
const DUPLICATED_MESSAGES = 20

/** Listing feed and account events: Engine.IO 4 frames with Socket.IO packets in them. */
export interface MarketBSocket {
  readonly route: SocketRoute
  cutSockets(): void
  duplicateMessages(): void
  close(): void
}

interface Client {
  readonly socket: WebSocket
  /** The key of the upgrade's header; null for a reader of listings only. */
  readonly account: string | null
  isOpen: boolean
  isSubscribed: boolean
  lastReceivedMs: number
}

export function createMarketBSocket(deps: MarketBDeps, names: MarketBNames): MarketBSocket {
  const { settings, switches, accounts } = deps
  const clients = new Set<Client>()
  const feed = watchListings(deps, names, clients)
  const accountEvents = watchOrders(deps, clients)
  // Liveness of a peer is a matter of real time, whatever the clock of the story says.
  const now = (): number => performance.now()

  const ping = setInterval(() => {
    for (const client of clients) {
      if (now() - client.lastReceivedMs > settings.pingIntervalMs + settings.pingTimeoutMs) {
        client.socket.terminate()
      } else sendText(client.socket, '2')
    }
  }, settings.pingIntervalMs)
  ping.unref()

  const accept = (socket: WebSocket, request: IncomingMessage): void => {
    const key = request.headers.authorization
    const account = key !== undefined && accounts.has('market_b', key) ? key : null
    const client: Client = {
      socket,
      account,
      isOpen: false,
      isSubscribed: false,
      lastReceivedMs: now(),
    }
    clients.add(client)
    socket.on('close', () => clients.delete(client))
    socket.on('message', (data) => {
      client.lastReceivedMs = now()
      obey(client, String(data))
    })
    sendText(socket, openPacket(deps))
  }
  const cutSockets = (): void => {
    for (const client of clients) client.socket.terminate()
  }
  switches.onOffline((id) => {
    if (id === 'market_b') cutSockets()
  })

  return {
    route: {
      path: '/market-b/socket.io',
      refuse: (request) => refuse(request, switches.of('market_b').online),
      accept,
    },
    cutSockets,
    duplicateMessages() {
      feed.messages.repeatNext(DUPLICATED_MESSAGES)
      accountEvents.repeatNext(DUPLICATED_MESSAGES)
    },
    close() {
      clearInterval(ping)
      feed.stop()
    },
  }
}

function refuse(request: IncomingMessage, isOnline: boolean): string | null {
  if (!isOnline) return '502 Bad Gateway'
  const { searchParams } = new URL(request.url ?? '/', 'http://sandbox')
  const isEngineIo4 =
    searchParams.get('EIO') === '4' && searchParams.get('transport') === 'websocket'
  return isEngineIo4 ? null : '400 Bad Request'
}

function openPacket({ settings, clock }: MarketBDeps): string {
  return `0${JSON.stringify({
    sid: throwHex(20, 'engine', clock.nowMs(), performance.now()),
    upgrades: [],
    pingInterval: settings.pingIntervalMs,
    pingTimeout: settings.pingTimeoutMs,
    maxPayload: 1_000_000,
  })}`
}

function obey(client: Client, packet: string): void {
  if (packet === '2') sendText(client.socket, '3')
  else if (packet.startsWith('40')) {
    client.isOpen = true
    sendText(client.socket, `40${JSON.stringify({ sid: throwHex(20, performance.now()) })}`)
  } else if (packet.startsWith('42') && client.isOpen) obeyEvent(client, packet.slice(2))
  else if (packet.startsWith('41') || packet === '1') client.socket.close()
}

function obeyEvent(client: Client, json: string): void {
  const [name, argument] = parseEvent(json)
  if (name !== 'sub' && name !== 'subscribe') return
  const topic = typeof argument === 'object' && argument !== null ? argument : {}
  if (!('name' in topic) || topic.name !== 'csgo') return
  client.isSubscribed = true
  sendEvent(client, 'subscribed', { name: 'csgo' })
  sendEvent(client, 'handshake', { ok: true, authorized: client.account !== null })
}

function parseEvent(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function sendEvent(client: Client, name: string, body: unknown): void {
  sendText(client.socket, `42${JSON.stringify([name, body])}`)
}

/** Sends changes of listings to subscribers, in bursts, with an occasional gap. */
function watchListings(
  { keeper, settings }: MarketBDeps,
  names: MarketBNames,
  clients: ReadonlySet<Client>,
) {
  const messages = createMessageFeed<string>((frame) => {
    for (const client of clients) if (client.isSubscribed) sendText(client.socket, frame)
  })
  let pending: string[] = []
  let timer: NodeJS.Timeout | null = null
  let othersChanges = 0

  const flush = (): void => {
    timer = null
    const frames = pending
    pending = []
    for (const frame of frames) messages.publish(frame)
  }
  // Only changes of the market's own activity are lost: a change by the control interface must be visible.
  const isLost = (cause: ChangeCause): boolean => {
    if (cause !== 'tick' || settings.feedGapOneIn === 0) return false
    othersChanges += 1
    return othersChanges % settings.feedGapOneIn === 0
  }
  keeper.subscribe((change, cause) => {
    if (change.listing.market !== 'market_b' || isLost(cause)) return
    pending.push(frameOf(change, names, settings))
    timer ??= setTimeout(flush, FLUSH_MS)
  })
  return { messages, stop: () => clearTimeout(timer ?? undefined) }
}

/** `removed` is the same for a sale and for a withdrawal: the feed does not distinguish them. */
function frameOf(
  change: ListingChange,
  names: MarketBNames,
  settings: MarketBDeps['settings'],
): string {
  const { kind, listing } = change
  const body =
    kind === 'removed' ? viewGone(listing, names) : viewFeedItem(listing, { names, settings })
  return `42${JSON.stringify([kind, body])}`
}

interface AccountPiece {
  readonly account: string
  readonly name: string
  readonly body: unknown
}

/** Sends an account's changes of trades and wallet: wake-ups, without the project id. */
function watchOrders(
  { orders, accounts }: MarketBDeps,
  clients: ReadonlySet<Client>,
): MessageFeed<AccountPiece> {
  const messages = createMessageFeed<AccountPiece>(({ account, name, body }) => {
    for (const client of clients) {
      if (client.isOpen && client.account === account) sendEvent(client, name, body)
    }
  })
  orders.subscribe((order, before) => {
    if (order.market !== 'market_b') return
    const { account } = order
    const isListenedTo = [...clients].some((client) => client.account === account)
    if (!isListenedTo) return
    messages.publish({ account, name: 'steamTrade', body: viewTradeUpdate(order, before) })
    const isPaid = before === null || order.progress.refundMills !== before.progress.refundMills
    if (!isPaid) return
    const wallet = accounts.balanceMills('market_b', account)
    messages.publish({ account, name: 'change_user', body: { wallet } })
  })
  return messages
}

function viewTradeUpdate(order: Order, before: Order | null): Record<string, unknown> {
  const item = {
    id: tradeIdOf(order),
    item_id: order.listing.id,
    status: statusOf(order),
    trade_id: offerIdOf(order),
    price: order.paidMills,
  }
  return {
    type: before === null ? 'create' : 'update',
    data: {
      id: tradeIdOf(order),
      stage: statusOf(order),
      costum_id: null,
      send_until: String(Math.floor(sendUntilMs(order) / 1000)),
      done: order.progress.endedAtMs !== null,
      items: [item],
    },
  }
}
