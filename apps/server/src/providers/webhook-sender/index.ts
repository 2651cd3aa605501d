// Posts webhooks. The address was typed by a merchant, so it is checked where it cannot lie: at the
// connection, on the very address that the socket goes to.
import { lookup } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { Agent, buildConnector, errors } from 'undici'
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '#ports/webhooks'

export interface WebhookSenderOptions {
  /** Development: any address may be posted to. */
  readonly allowPrivate: boolean
  isPublicAddress(address: string): boolean
}

export interface OpenWebhookSender extends WebhookSender {
  close(): Promise<void>
}

const MAX_RESPONSE_BYTES = 16 * 1024
const MAX_HEADER_BYTES = 16 * 1024

class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress'
}

/** Follows no redirect, uses no proxy, keeps no cookie, reads 16 KiB of an answer. */
export function createWebhookSender(options: WebhookSenderOptions): OpenWebhookSender {
  const agent = new Agent({
    connect: guardedConnector(options),
    // No bound here: the deliverer bounds what is under way, and a post that queued for a socket would
    // spend its ten seconds waiting for the answers of others.
    connections: null,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: 10_000,
  })
  return {
    post: (request) => post(agent, request),
    close: () => agent.close(),
  }
}

/**
 * A name is resolved once, all its addresses must be public, and the socket goes to one of those: a name
 * server that answers differently the next time (DNS rebinding) gains nothing. An address in place of a
 * name never reaches a resolver in Node, so the connected socket is checked as well.
 */
function guardedConnector({
  allowPrivate,
  isPublicAddress,
}: WebhookSenderOptions): buildConnector.connector {
  const guardedLookup: LookupFunction = (hostname, _options, callback) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const bad = addresses.find(({ address }) => !isPublicAddress(address))
      if (bad || addresses.length === 0)
        return callback(new BlockedAddress('address not allowed'), [])
      return callback(null, addresses)
    })
  }
  const connect = buildConnector({
    timeout: 10_000,
    ...(!allowPrivate && { lookup: guardedLookup }),
  })
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) {
      callback(new BlockedAddress('address not allowed'), null)
      return
    }
    connect(target, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return callback(error, null)
      if (!allowPrivate && !isPublicAddress((socket as Socket).remoteAddress ?? '')) {
        socket.destroy()
        return callback(new BlockedAddress('address not allowed'), null)
      }
      return callback(null, socket)
    })
  }
}

async function post(agent: Agent, request: WebhookRequest): Promise<WebhookAnswer> {
  const url = new URL(request.url)
  const deadline = AbortSignal.timeout(request.deadlineMs)
  try {
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal: deadline,
    })
    return {
      kind: 'answered',
      status: response.statusCode,
      body: await firstBytes(response.body),
      retryAfterSeconds: retryAfterOf(response.headers['retry-after']),
    }
  } catch (error) {
    if (isBlocked(error)) return { kind: 'blocked' }
    if (deadline.aborted || isTimeout(error)) return { kind: 'timeout' }
    return { kind: 'failed', detail: describe(error) }
  }
}

async function firstBytes(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    // Leaving the loop destroys the stream: what follows is never read.
    if (length >= MAX_RESPONSE_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString('utf8')
}

/** Seconds or an HTTP date; anything else is as if it were not there. */
function retryAfterOf(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

const isBlocked = (error: unknown): boolean =>
  error instanceof BlockedAddress ||
  (error instanceof Error && error.cause instanceof BlockedAddress)

const isTimeout = (error: unknown): boolean =>
  error instanceof errors.ConnectTimeoutError ||
  error instanceof errors.HeadersTimeoutError ||
  error instanceof errors.BodyTimeoutError

/** A word on what failed that tells nothing of the inside of our network. */
const describe = (error: unknown): string => {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code : 'connection failed'
}
