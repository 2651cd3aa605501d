// The envelope and the signed headers of a delivery. The signature is HMAC-SHA256 over
// `<id>.<timestamp>.<body>`, base64url. Its key is the UTF-8 text of the whole secret as it is shown, prefix
// included; Standard Webhooks decodes it instead.
import { createHmac } from 'node:crypto'
import {
  SERVICE_SIGNATURE_HEADER,
  WEBHOOK_ID_HEADER,
  WEBHOOK_SIGNATURE_HEADER,
  WEBHOOK_TIMESTAMP_HEADER,
  WEBHOOK_USER_AGENT,
} from '@tradepost/contract/webhook-headers'
import type { Dialects, SignedMessage, WebhookDialect } from '#webhooks'

/** The dialects differ in the header of the signature, and in the events that they send. */
const dialectOf = (signatureHeader: string): WebhookDialect => ({
  body: ({ id, eventType, createdAt }, data) =>
    JSON.stringify({ id, type: eventType, createdAt: createdAt.toISOString(), data }),

  headers: (message, { current, previous }) => {
    const parts = [`t=${message.timestampSeconds}`, `s=${signature(current, message)}`]
    if (previous !== null) parts.push(`s1=${signature(previous, message)}`)
    return {
      'content-type': 'application/json',
      'user-agent': WEBHOOK_USER_AGENT,
      [WEBHOOK_ID_HEADER]: message.id,
      [WEBHOOK_TIMESTAMP_HEADER]: String(message.timestampSeconds),
      [signatureHeader]: parts.join(','),
    }
  },
})

const signature = (secret: string, { id, timestampSeconds, body }: SignedMessage): string =>
  createHmac('sha256', secret).update(`${id}.${timestampSeconds}.${body}`).digest('base64url')

export const dialects: Dialects = {
  merchant: dialectOf(WEBHOOK_SIGNATURE_HEADER),
  partner: dialectOf(SERVICE_SIGNATURE_HEADER),
}
