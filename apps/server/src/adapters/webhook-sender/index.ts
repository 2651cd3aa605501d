// Posts webhooks. The address was typed by a merchant, so it is checked at the connection.
import { Agent, errors } from 'undici'
import { BlockedAddress, guardedConnector } from '#infra/http/guarded-connector'
import {
  createNameResolver,
  NameNotResolved,
  type NameResolver,
  type NameResolverOptions,
} from '#infra/http/name-resolver'
import { type StallWatch, startStallWatch } from '#infra/jobs/stall-watch'
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '#ports/webhooks'

export interface WebhookSenderOptions {
  isAllowedAddress(address: string): boolean
  readonly sendsTraceparent?: boolean
  /** Unset: the name servers of the system. */
  readonly names?: NameResolverOptions
  /** Posts under way to one host, however many endpoints are there; half of them may be of one owner. */
  readonly perHost?: number
}

export interface OpenWebhookSender extends WebhookSender {
  close(): Promise<void>
}

const MAX_RESPONSE_BYTES = 16 * 1024
const MAX_HEADER_BYTES = 16 * 1024
const PER_HOST = 256

/** Follows no redirect, uses no proxy, keeps no cookie, reads 16 KiB of an answer. */
export function createWebhookSender(options: WebhookSenderOptions): OpenWebhookSender {
  const resolver = createNameResolver(options.names)
  const stalls = startStallWatch()
  const agent = new Agent({
    connect: guardedConnector(options.isAllowedAddress, resolver),
    // No bound here: the deliverer bounds what is under way, and a post that queued for a socket would
    // spend its ten seconds waiting for the answers of others.
    connections: null,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: 10_000,
  })
  const underWay = createCounts()
  const perHost = options.perHost ?? PER_HOST
  return {
    sendsTraceparent: options.sendsTraceparent ?? false,
    post: async (request) => {
      const { hostname } = new URL(request.url)
      const ofOwner = `${hostname} ${request.owner}`
      if (underWay.of(hostname) >= perHost || underWay.of(ofOwner) >= perHost / 2) {
        return { kind: 'deferred', cause: 'host_busy' }
      }
      underWay.add([hostname, ofOwner], 1)
      try {
        return await post({ agent, resolver, stalls }, request)
      } finally {
        underWay.add([hostname, ofOwner], -1)
      }
    },
    close: () => {
      stalls.stop()
      return agent.close()
    },
  }
}

interface Counts {
  of(key: string): number
  add(keys: readonly string[], difference: 1 | -1): void
}

/** A key without any is forgotten. */
function createCounts(): Counts {
  const counts = new Map<string, number>()
  const of = (key: string): number => counts.get(key) ?? 0
  return {
    of,
    add: (keys, difference) => {
      for (const key of keys) {
        const count = of(key) + difference
        if (count === 0) counts.delete(key)
        else counts.set(key, count)
      }
    },
  }
}

interface Tools {
  readonly agent: Agent
  readonly resolver: NameResolver
  readonly stalls: StallWatch
}

async function post(
  { agent, resolver, stalls }: Tools,
  request: WebhookRequest,
): Promise<WebhookAnswer> {
  const url = new URL(request.url)
  const startedAtMs = performance.now()
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
    if (causeOf(error, BlockedAddress)) return { kind: 'blocked' }
    const unresolved = causeOf(error, NameNotResolved)
    if (unresolved) return unresolvedAnswer(unresolved, resolver)
    if (deadline.aborted || isTimeout(error)) {
      const isOurs = stalls.stalledSince(startedAtMs)
      return isOurs ? { kind: 'deferred', cause: 'stalled' } : { kind: 'timeout' }
    }
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

/**
 * Silence about one name while others are answered is the fault of that name's server, and counts. When no
 * name server answers us at all, it says nothing of the endpoint.
 */
const unresolvedAnswer = ({ code }: NameNotResolved, resolver: NameResolver): WebhookAnswer =>
  code === 'ENOTFOUND' || resolver.isAnswering()
    ? { kind: 'failed', detail: code === 'ENOTFOUND' ? 'ENOTFOUND' : 'name not resolved' }
    : { kind: 'deferred', cause: 'resolver' }

function causeOf<Cause extends Error>(
  error: unknown,
  type: new (...args: never[]) => Cause,
): Cause | null {
  if (error instanceof type) return error
  return error instanceof Error && error.cause instanceof type ? error.cause : null
}

const isTimeout = (error: unknown): boolean =>
  error instanceof errors.ConnectTimeoutError ||
  error instanceof errors.HeadersTimeoutError ||
  error instanceof errors.BodyTimeoutError

/** What failed, without any detail of our own network. */
const describe = (error: unknown): string => {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code : 'connection failed'
}
