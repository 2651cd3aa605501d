// The envelope and the signed headers of a delivery. The signature is HMAC-SHA256 over
// `<id>.<timestamp>.<body>`. In our own form it is base64url, and its key the UTF-8 text of the whole secret
// as it is shown, prefix included; in that of Standard Webhooks 1.0 it is base64, and its key what follows
// the prefix, decoded.
import { createHmac } from 'node:crypto'
import {
  SERVICE_SIGNATURE_HEADER,
  WEBHOOK_ID_HEADER,
  WEBHOOK_SIGNATURE_HEADER,
  WEBHOOK_TIMESTAMP_HEADER,
  WEBHOOK_USER_AGENT,
} from '@tradepost/contract/webhook-headers'
import type { Dialects, SignatureForm, SignedMessage, WebhookDialect } from '#webhooks'

/** The dialects differ in the header of the signature, and in the events that they send. */
const dialectOf = (signatureHeader: string): WebhookDialect => ({
  body: ({ id, eventType, createdAt }, data) =>
    JSON.stringify({ id, type: eventType, createdAt: createdAt.toISOString(), data }),

  headers: (message, { current, previous }, form = 'service') => ({
    'content-type': 'application/json',
    'user-agent': WEBHOOK_USER_AGENT,
    [WEBHOOK_ID_HEADER]: message.id,
    [WEBHOOK_TIMESTAMP_HEADER]: String(message.timestampSeconds),
    [signatureHeader]: SIGNATURES[form](message, current, previous),
  }),
})

const SIGNATURES: Readonly<
  Record<SignatureForm, (of: SignedMessage, current: string, previous: string | null) => string>
> = {
  service: (message, current, previous) => {
    const signed = (secret: string): string => hmac(secret, message).toString('base64url')
    const parts = [`t=${message.timestampSeconds}`, `s=${signed(current)}`]
    if (previous !== null) parts.push(`s1=${signed(previous)}`)
    return parts.join(',')
  },
  standard: (message, current, previous) =>
    [current, ...(previous === null ? [] : [previous])]
      .map((secret) => `v1,${hmac(decoded(secret), message).toString('base64')}`)
      .join(' '),
}

const hmac = (key: string | Buffer, { id, timestampSeconds, body }: SignedMessage): Buffer =>
  createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest()

/** Of base64 or base64url: an endpoint keeps its secret when it gets the other form. */
const decoded = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

export const dialects: Dialects = {
  merchant: dialectOf(WEBHOOK_SIGNATURE_HEADER),
  partner: dialectOf(SERVICE_SIGNATURE_HEADER),
}
