// The signer program over its unix socket: HTTP with JSON, as apps/signer/README.md describes it.
import { request } from 'node:http'
import { currentSpan } from '#infra/tracing/tracing'
import type { Address, Hex } from '#kernel/chain'
import type { KeyRef, Signer, SigningAnswer } from '#ports/outbound'

export interface SocketSignerOptions {
  readonly socketPath: string
  readonly deadlineMs?: number
}

const DEADLINE_MS = 5_000
const MAX_ANSWER_BYTES = 64 * 1024

class SignerUnavailable extends Error {
  override readonly name = 'SignerUnavailable'
}

export function createSocketSigner(options: SocketSignerOptions): Signer {
  const addresses = new Map<KeyRef, Address>()
  return {
    address: async (key) => {
      const known = addresses.get(key)
      if (known !== undefined) return known
      const { status, body } = await post(options, '/address', { key })
      const address = fieldOf(body, 'address', /^0x[0-9a-fA-F]{40}$/)
      if (status !== 200 || address === null) {
        throw new SignerUnavailable(`the signer returned ${status} for the address of ${key}`)
      }
      addresses.set(key, address)
      return address
    },

    sign: async ({ key, depositIndex, transaction }) => {
      const text = Object.fromEntries(
        Object.entries(transaction).map(([name, value]) => [
          name,
          typeof value === 'bigint' ? value.toString() : value,
        ]),
      )
      const index = depositIndex === null ? {} : { depositIndex }
      try {
        return readAnswer(await post(options, '/sign', { key, ...index, transaction: text }))
      } catch (error) {
        return { kind: 'unavailable', detail: error instanceof Error ? error.message : 'failed' }
      }
    },
  }
}

/** 403 is the policy's refusal and 400 says that the request is none: both are certain. */
function readAnswer({ status, body }: Answer): SigningAnswer {
  const from = fieldOf(body, 'from', /^0x[0-9a-fA-F]{40}$/)
  const raw = fieldOf(body, 'raw', /^0x[0-9a-f]+$/)
  const hash = fieldOf(body, 'hash', /^0x[0-9a-f]{64}$/)
  if (status === 200 && from && raw && hash) return { kind: 'signed', from, raw, hash }
  const { error } = (body ?? {}) as { error?: { code?: unknown } }
  const code = typeof error?.code === 'string' ? error.code : null
  if ((status === 403 || status === 400) && code !== null) return { kind: 'refused', rule: code }
  return { kind: 'unavailable', detail: `the signer returned ${status}` }
}

function fieldOf(body: unknown, name: string, form: RegExp): Hex | null {
  const value = (body as Record<string, unknown> | null)?.[name]
  return typeof value === 'string' && form.test(value) ? (value as Hex) : null
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

const post = (
  { socketPath, deadlineMs = DEADLINE_MS }: SocketSignerOptions,
  path: string,
  body: object,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const traceparent = currentSpan()?.traceparent
    const call = request(
      {
        socketPath,
        path,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          ...(traceparent && { traceparent }),
        },
        signal: AbortSignal.timeout(deadlineMs),
      },
      (response) => {
        const chunks: Buffer[] = []
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          bytes += chunk.length
          if (bytes > MAX_ANSWER_BYTES)
            call.destroy(new SignerUnavailable('the answer is too long'))
        })
        response.on('error', reject)
        response.on('end', () => {
          try {
            const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
            resolve({ status: response.statusCode ?? 0, body: parsed })
          } catch {
            reject(new SignerUnavailable('the answer is no JSON'))
          }
        })
      },
    )
    call.on('error', reject)
    call.end(text)
  })
