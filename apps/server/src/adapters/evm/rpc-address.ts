// One RPC address of a chain: JSON-RPC 2.0 over HTTP, one call or a batch in a request.
import type { HttpClient } from '#infra/http/http-client'
import { newId } from '#kernel/id'
import { plainOf } from '#kernel/text'
import type { Pace } from './pace.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export type RpcReply =
  | { readonly kind: 'result'; readonly value: unknown }
  /** The node answered that it cannot, or will not. */
  | { readonly kind: 'error'; readonly error: RpcError }

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data: unknown
}

/** No usable answer. The call may have been carried out, unless it is certain that nothing was sent. */
export interface RpcFailure {
  readonly kind: 'failure'
  readonly detail: string
}

export interface CallOptions {
  readonly deadlineMs: number
  /** Gives the call up early. */
  readonly signal?: AbortSignal
}

export interface RpcAddress {
  /** For logs: an address itself may contain a key. */
  readonly name: string
  /** One reply for each call, in their order. */
  send(calls: readonly RpcCall[], options: CallOptions): Promise<readonly RpcReply[] | RpcFailure>
}

/** A block with all its transactions is a few megabytes on the busiest chains, with traces much more. */
const MAX_BYTES = 64 * 1024 * 1024

export function createRpcAddress(options: {
  readonly name: string
  readonly provider: string
  readonly url: string
  readonly http: HttpClient
  readonly pace: Pace
}): RpcAddress {
  const { name, provider, http, pace } = options
  const { url, headers } = withoutCredentials(options.url)
  return {
    name,
    async send(calls, { deadlineMs, signal }) {
      await pace.turn(calls.length)
      const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
      const outcome = await http.request({
        provider,
        operation: calls[0]?.method ?? 'none',
        method: 'POST',
        url,
        headers,
        body: body.length === 1 ? body[0] : body,
        deadlineMs,
        maxBytes: MAX_BYTES,
        routine: true,
        context: { requestId: newId() },
        ...(signal === undefined ? {} : { signal }),
      })
      if (outcome.kind !== 'answer') return { kind: 'failure', detail: outcome.detail }
      const replies = readReplies(outcome.body, calls.length)
      // Some nodes send their errors with a status of their own; without a readable body only that is known.
      if (replies !== null && outcome.status < 500 && outcome.status !== 429) return replies
      return { kind: 'failure', detail: `status ${outcome.status}` }
    },
  }
}

/** Basic authentication travels in a header. */
function withoutCredentials(given: string): { url: string; headers: Record<string, string> } {
  const url = new URL(given)
  if (url.username === '' && url.password === '') return { url: given, headers: {} }
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  return {
    url: url.href,
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
  }
}

/** Null when it is no JSON-RPC answer to these calls. */
function readReplies(body: string, count: number): readonly RpcReply[] | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return null
  }
  // A batch that is refused as a whole is answered by one error.
  const answers = Array.isArray(parsed) ? parsed : [parsed]
  const replies = new Map<unknown, RpcReply>()
  for (const answer of answers) {
    const reply = readReply(answer)
    if (reply === null) return null
    replies.set((answer as { id?: unknown }).id, reply)
  }
  const first = [...replies.values()][0]
  if (count > 1 && !Array.isArray(parsed) && first?.kind === 'error') {
    return new Array<RpcReply>(count).fill(first)
  }
  const ordered = Array.from({ length: count }, (_, id) => replies.get(id))
  return ordered.every((reply) => reply !== undefined) ? ordered : null
}

function readReply(answer: unknown): RpcReply | null {
  if (typeof answer !== 'object' || answer === null) return null
  const { error, result } = answer as { error?: unknown; result?: unknown }
  if (error !== undefined && error !== null) {
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
    return {
      kind: 'error',
      error: {
        code: typeof code === 'number' ? code : 0,
        message: typeof message === 'string' ? plainOf(message) : '',
        data,
      },
    }
  }
  return result === undefined ? null : { kind: 'result', value: result }
}
