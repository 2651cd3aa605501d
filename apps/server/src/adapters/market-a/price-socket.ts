// Market A's price socket (Centrifugo, JSON). It says that the price of a name moved, and no more: not
// which listing, not that one is gone. So a message only says that the name must be read again.
import { unreachable } from '#kernel/assert'
import { fieldsOf, idOf, own, parseJson, smallIntegerOf, textOf } from '../shared/reader.ts'
import type { SocketHandlers, SocketLine } from '../shared/socket.ts'

const CHANNEL = 'public:items:730:usd'

const CONNECT_ID = 1
const SUBSCRIBE_ID = 2
const REFRESH_ID = 3

export interface PriceSocketHandlers {
  /** A fresh token for each connection: it lives ten minutes. Null: none to be had now. */
  token(): Promise<string | null>
  subscribed(): void
  nameChanged(nameId: string): void
}

export function priceSocket(socketUrl: string, handlers: PriceSocketHandlers): SocketHandlers {
  let token = ''
  let renewal: NodeJS.Timeout | undefined

  /** A server that limits the life of a connection says for how long; it is renewed well before. */
  const renewLater = (line: SocketLine, ttlSeconds: number): void => {
    clearTimeout(renewal)
    renewal = setTimeout(
      async () => {
        const fresh = await handlers.token()
        if (fresh === null) return
        line.send(JSON.stringify({ id: REFRESH_ID, refresh: { token: fresh } }))
      },
      Math.max(1_000, ttlSeconds * 700),
    )
  }

  const obey = (reply: Reply, line: SocketLine): void => {
    switch (reply.kind) {
      case 'ping':
        line.send('{}')
        break
      case 'connected':
        line.send(JSON.stringify({ id: SUBSCRIBE_ID, subscribe: { channel: CHANNEL } }))
        if (reply.ttlSeconds !== null) renewLater(line, reply.ttlSeconds)
        break
      case 'refreshed':
        if (reply.ttlSeconds !== null) renewLater(line, reply.ttlSeconds)
        break
      case 'subscribed':
        handlers.subscribed()
        break
      case 'name-changed':
        handlers.nameChanged(reply.nameId)
        break
      case 'refused':
        line.drop(reply.detail)
        break
      case 'other':
        break
      default:
        unreachable(reply)
    }
  }

  return {
    async address() {
      const fresh = await handlers.token()
      if (fresh === null) return null
      token = fresh
      return { url: socketUrl }
    },
    opened: (line) => line.send(JSON.stringify({ id: CONNECT_ID, connect: { token } })),
    text(text, line) {
      for (const part of text.split('\n')) {
        if (part.trim() !== '') obey(readReply(parseJson(part)), line)
      }
    },
    lost: () => clearTimeout(renewal),
  }
}

export type Reply =
  | { readonly kind: 'ping' }
  | { readonly kind: 'connected'; readonly ttlSeconds: number | null }
  | { readonly kind: 'refreshed'; readonly ttlSeconds: number | null }
  | { readonly kind: 'subscribed' }
  | { readonly kind: 'name-changed'; readonly nameId: string }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'other' }

export function readReply(message: unknown): Reply {
  const fields = fieldsOf(message)
  if (fields === null) return { kind: 'other' }
  if (Object.keys(fields).length === 0) return { kind: 'ping' }
  const error = fieldsOf(own(fields, 'error'))
  if (error !== null) {
    const detail = `${textOf(own(error, 'code'))} ${textOf(own(error, 'message'))}`
    return { kind: 'refused', detail }
  }
  const connect = fieldsOf(own(fields, 'connect'))
  if (connect !== null) return { kind: 'connected', ttlSeconds: ttlOf(own(connect, 'ttl')) }
  const refresh = fieldsOf(own(fields, 'refresh'))
  if (refresh !== null) return { kind: 'refreshed', ttlSeconds: ttlOf(own(refresh, 'ttl')) }
  if (fieldsOf(own(fields, 'subscribe')) !== null) return { kind: 'subscribed' }
  return readPush(fieldsOf(own(fields, 'push')) ?? {})
}

function readPush(push: Readonly<Record<string, unknown>>): Reply {
  if (own(push, 'channel') !== CHANNEL) return { kind: 'other' }
  const publication = fieldsOf(own(push, 'pub')) ?? {}
  const data = fieldsOf(own(publication, 'data')) ?? {}
  const nameId = idOf(own(data, 'name_id'))
  return nameId === null ? { kind: 'other' } : { kind: 'name-changed', nameId }
}

function ttlOf(value: unknown): number | null {
  const seconds = smallIntegerOf(value)
  return seconds !== null && seconds > 0 ? seconds : null
}
