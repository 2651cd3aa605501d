// The signature scheme: HMAC-SHA256 over `<id>.<timestamp>.<body>`, base64url. The key is the UTF-8 text
// of the whole secret as it is shown, prefix included; Standard Webhooks decodes it instead.
import { createHmac, randomBytes } from 'node:crypto'

/** `whsec_` and 43 base64url characters: 32 random bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`

export interface Signed {
  readonly id: string
  readonly timestampSeconds: number
  readonly body: string
}

export const signature = (secret: string, { id, timestampSeconds, body }: Signed): string =>
  createHmac('sha256', secret).update(`${id}.${timestampSeconds}.${body}`).digest('base64url')

/** The delivery headers. `s1` is there while the previous secret is still good. */
export function signedHeaders(
  message: Signed,
  secrets: { readonly current: string; readonly previous: string | null },
): Record<string, string> {
  const parts = [`t=${message.timestampSeconds}`, `s=${signature(secrets.current, message)}`]
  if (secrets.previous !== null) parts.push(`s1=${signature(secrets.previous, message)}`)
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampSeconds),
    'webhook-signature': parts.join(','),
  }
}
