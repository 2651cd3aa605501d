import type { WebhookEvent } from '../generated/events.ts'
import {
  type SignedDelivery,
  type VerifyOptions,
  verifySignature,
  WebhookSignatureError,
} from './signature.ts'

/**
 * The event of a delivery whose signature is good; rejects with a `WebhookSignatureError` otherwise. The
 * same event can arrive more than once; its `id` is the same.
 */
export async function verifyWebhook(
  delivery: SignedDelivery,
  options: VerifyOptions,
): Promise<WebhookEvent> {
  const { id, body } = await verifySignature(delivery, options)
  const event = parsed(body)
  if (event === null || event.id !== id) {
    throw new WebhookSignatureError('malformed_body', 'the body is not the event of its webhook-id')
  }
  return event
}

function parsed(body: Uint8Array): WebhookEvent | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return isEvent(value) ? value : null
  } catch {
    return null
  }
}

function isEvent(value: unknown): value is WebhookEvent {
  if (typeof value !== 'object' || value === null) return false
  const { type, data } = value as Partial<Record<string, unknown>>
  return typeof type === 'string' && typeof data === 'object' && data !== null
}
