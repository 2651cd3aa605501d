import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** HMAC-SHA512 over the base64 text of the payload, in hex. */
const sign = (secret: string, payload: string): string =>
  createHmac('sha512', secret).update(payload).digest('hex')

/** Headers of a message: the payload repeats the body beside a time, and only the payload is signed. */
export function signedHeaders(
  secret: string,
  { nowMs, body }: { readonly nowMs: number; readonly body: unknown },
): Readonly<Record<string, string>> {
  const payload = Buffer.from(JSON.stringify({ timestamp: nowMs, body })).toString('base64')
  return { 'x-onramp-payload': payload, 'x-onramp-signature': sign(secret, payload) }
}

/** Whether a call is the merchant's own and not old. */
export function isSigned(
  headers: IncomingHttpHeaders,
  {
    apiKey,
    secret,
    driftMs,
    nowMs,
  }: {
    readonly apiKey: string
    readonly secret: string
    readonly driftMs: number
    readonly nowMs: number
  },
): boolean {
  const payload = String(headers['x-onramp-payload'] ?? '')
  const given = Buffer.from(String(headers['x-onramp-signature'] ?? ''))
  const right = Buffer.from(sign(secret, payload))
  if (headers['x-onramp-apikey'] !== apiKey) return false
  if (given.length !== right.length || !timingSafeEqual(given, right)) return false
  try {
    const text = Buffer.from(payload, 'base64').toString('utf8')
    const { timestamp } = JSON.parse(text) as { timestamp?: unknown }
    return Math.abs(Number(timestamp) - nowMs) <= driftMs
  } catch {
    return false
  }
}
