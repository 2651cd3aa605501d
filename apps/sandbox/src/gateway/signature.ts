import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** HMAC-SHA512 over `timestamp\nnonce\nbody\n`, in hex; a GET has an empty body. */
export function sign(
  secret: string,
  { timestamp, nonce, body }: { timestamp: string; nonce: string; body: string },
): string {
  return createHmac('sha512', secret).update(`${timestamp}\n${nonce}\n${body}\n`).digest('hex')
}

/** The provider's code of what is wrong with a call's headers; null when they are right. */
export function createCallCheck({
  clientId,
  secret,
  driftMs,
}: {
  readonly clientId: string
  readonly secret: string
  readonly driftMs: number
}): (headers: IncomingHttpHeaders, body: string, nowMs: number) => string | null {
  /** Nonces of the time in which a call may still be repeated. */
  const seen = new Map<string, number>()
  return (headers, body, nowMs) => {
    const text = (name: string): string => String(headers[`x-gatepay-${name}`] ?? '')
    const timestamp = text('timestamp')
    const nonce = text('nonce')
    if (text('certificate-clientid') !== clientId) return '400002'
    if (!/^\d{13}$/.test(timestamp) || Math.abs(Number(timestamp) - nowMs) > driftMs) {
      return '400003'
    }
    if (!/^[\dA-Za-z]{1,32}$/.test(nonce)) return '400020'
    const given = Buffer.from(text('signature'))
    const right = Buffer.from(sign(secret, { timestamp, nonce, body }))
    if (given.length !== right.length || !timingSafeEqual(given, right)) return '400002'
    for (const [old, atMs] of seen) if (atMs < nowMs - 2 * driftMs) seen.delete(old)
    if (seen.has(nonce)) return '400020'
    seen.set(nonce, nowMs)
    return null
  }
}
