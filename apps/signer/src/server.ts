// HTTP with JSON bodies over a unix socket. Who may connect is decided by the file's owner and mode.
import { chmodSync, rmSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { connect } from 'node:net'
import { CannotStart } from './cannot-start.ts'
import { type KeyRing, parseKeyRef } from './keys.ts'
import type { Signer } from './signer.ts'
import { parseSigningRequest } from './transaction.ts'

const MAX_BODY_BYTES = 16 * 1024
const REQUEST_TIMEOUT_MS = 5_000

/** Called once for each decision; fields without key material. */
export type OnDecision = (fields: Readonly<Record<string, unknown>>) => void

export interface HandlerDeps {
  readonly keys: KeyRing
  readonly signer: Signer
  readonly onDecision: OnDecision
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const failure = (status: number, code: string, message: string): Answer => ({
  status,
  body: { error: { code, message } },
})

export function createHandler(deps: HandlerDeps): RequestListener {
  return (request, response) => {
    answer(deps, request)
      .catch((error: unknown) => {
        deps.onDecision({ level: 'error', event: 'request_failed', error: String(error) })
        return failure(500, 'INTERNAL_ERROR', 'The request failed; nothing was returned.')
      })
      .then((result) => send(response, result))
  }
}

async function answer(deps: HandlerDeps, request: IncomingMessage): Promise<Answer> {
  const route = `${request.method} ${request.url}`
  if (route === 'GET /health') return { status: 200, body: { status: 'ok' } }
  if (route !== 'POST /address' && route !== 'POST /sign') {
    return failure(404, 'NOT_FOUND', 'Routes: GET /health, POST /address, POST /sign.')
  }
  const body = await readJson(request)
  if (body === undefined) {
    return failure(
      400,
      'INVALID_REQUEST',
      `The body must be JSON of at most ${MAX_BODY_BYTES} bytes.`,
    )
  }
  if (route === 'POST /address') return answerAddress(deps, body)
  return answerSign(deps, body, traceIdIn(request))
}

function answerAddress({ keys }: HandlerDeps, body: unknown): Answer {
  const text = (body as { key?: unknown } | null)?.key
  const ref = typeof text === 'string' ? parseKeyRef(text) : null
  if (ref === null) return failure(400, 'INVALID_REQUEST', '/key names no key')
  return { status: 200, body: { key: ref, address: keys.address(ref) } }
}

/** W3C Trace Context, version 00: in the line of the decision, so that it is found with the trace. */
function traceIdIn({ headers: { traceparent } }: IncomingMessage): string | undefined {
  const form = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/
  return typeof traceparent === 'string' ? form.exec(traceparent)?.[1] : undefined
}

async function answerSign(
  { signer, onDecision }: HandlerDeps,
  body: unknown,
  traceId: string | undefined,
): Promise<Answer> {
  const parsed = parseSigningRequest(body)
  if (parsed.kind === 'invalid') return failure(400, 'INVALID_REQUEST', parsed.reason)
  const { key, transaction } = parsed.request
  const result = await signer.sign(parsed.request)
  onDecision({
    event: result.kind,
    ...(result.kind === 'rejected'
      ? { level: 'warn', reason: result.reason }
      : { purpose: result.purpose, hash: result.hash }),
    key,
    chainId: transaction.chainId,
    nonce: transaction.nonce,
    to: transaction.to,
    value: transaction.value.toString(),
    data: transaction.data,
    ...(traceId !== undefined && { traceId }),
  })
  if (result.kind === 'rejected') {
    return failure(403, result.reason, 'The policy of the signer does not allow this transaction.')
  }
  const { from, raw, hash } = result
  return { status: 200, body: { from, raw, hash } }
}

/** Undefined for a body that is too large or no JSON. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  if (bytes > MAX_BODY_BYTES) return undefined
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}

function send(response: ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

/**
 * Listens on a unix socket. A socket file that a killed process left behind is replaced; one that answers
 * belongs to another signer, and two of them would each count half of the spending.
 */
export async function listenOn(
  handler: RequestListener,
  { path, mode }: { readonly path: string; readonly mode: number },
): Promise<Server> {
  if (await isAnswering(path)) {
    throw new CannotStart(`Another signer is listening on ${path}. Stop it first.`)
  }
  rmSync(path, { force: true })
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, handler)
  // The socket is created with the process's mask: no moment exists in which others may connect.
  const mask = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
  } finally {
    process.umask(mask)
  }
  chmodSync(path, mode)
  return server
}

const isAnswering = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
