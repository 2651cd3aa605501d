// Requests sent byte for byte as they are, and what is true of every answer, whatever was asked.
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import {
  API_KEY_HEADER,
  errorEntry,
  FailureEnvelope,
  isErrorKey,
  PARTNER_KEY_HEADER,
  type RouteBase,
} from '@tradepost/contract'
import { compile } from '../../packages/contract/src/testing/validator.ts'
import { successOf } from './client.ts'
import { type HostileRequest, MARKER } from './hostile.ts'

export interface RawAnswer {
  readonly status: number
  readonly requestId: string
  readonly text: string
}

export interface RawClient {
  /** Sends the bytes as they are: a correct client would repair them first. */
  send(method: string, request: HostileRequest): Promise<RawAnswer>
  close(): void
}

const DEADLINE_MS = 15_000

export function createRawClient(access: {
  readonly baseUrl: string
  readonly merchantKey: string
  readonly partnerKey: string
}): RawClient {
  const { hostname, port } = new URL(access.baseUrl)
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const keyFor = (path: string): Record<string, string> =>
    /^\/v[12]\//.test(path)
      ? { [PARTNER_KEY_HEADER]: access.partnerKey }
      : { [API_KEY_HEADER]: access.merchantKey }
  const send: RawClient['send'] = (method, { path, headers, body }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const sending = request(
        {
          agent,
          hostname,
          port,
          method,
          path,
          headers: { ...keyFor(path), ...headers, ...length },
          timeout: DEADLINE_MS,
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              requestId: String(response.headers['x-request-id']),
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          )
        },
      )
      sending.on('timeout', () => sending.destroy(new Error(`no answer within ${DEADLINE_MS} ms`)))
      sending.on('error', reject)
      sending.end(body)
    })
  return { send, close: () => agent.destroy() }
}

const isFailure = compile(FailureEnvelope)
const INSIDES = [
  /\bselect\b.+\bfrom\b|\binsert into\b|\bdelete from\b|\$\d+::|pg_|syntax error at/i,
  /violates|constraint|relation "|column "|sqlstate|deadlock/i,
  /\.ts:\d+|\.js:\d+|node_modules|node:internal|\bat (async )?[\w.]+ \(/,
  /TypeError|RangeError|SyntaxError|ECONN|Cannot read prop/,
]

/** The key of a failure, null for a success. */
export function checkAnswer({ status, requestId, text }: RawAnswer): string | null {
  const answer = JSON.parse(text) as { requestId: string; success: boolean }
  assert.equal(answer.requestId, requestId, 'the request is named in the answer and its header')
  assert.ok(status < 500 || status === 503, `status ${status}`)
  if (answer.success) {
    assert.ok(status >= 200 && status < 300)
    return null
  }
  assert.ok(isFailure(answer), 'the failure envelope')
  const { error } = answer as unknown as { error: { code: number; key: string } }
  assert.ok(isErrorKey(error.key), `${error.key} is in the catalogue`)
  const entry = errorEntry(error.key)
  assert.equal(error.code, entry.code)
  assert.ok([entry.status, ...(entry.alsoStatuses ?? [])].includes(status), `status ${status}`)
  for (const insides of INSIDES) assert.doesNotMatch(text, insides)
  assert.ok(!text.includes(MARKER), 'what was sent is not sent back')
  return error.key
}

/** The keys that the route documents, and no others; the key of a failure, null for a success. */
export function checkAnswerOf(route: RouteBase, answer: RawAnswer): string | null {
  const key = checkAnswer(answer)
  if (key === null) assert.ok(successOf(route)(JSON.parse(answer.text)), 'the documented shape')
  if (key !== null) {
    assert.ok((route.refusals as readonly string[]).includes(key), `${key} is documented`)
  }
  return key
}
