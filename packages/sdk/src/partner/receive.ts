// Order events: the same deliveries as a merchant's, signed under another header.
import type { WebhookHandlerOptions } from '../webhooks/receive.ts'
import type { SignedDelivery, VerifyOptions } from '../webhooks/signature.ts'
import { verifyWebhook } from '../webhooks/verify.ts'
import type { WebhookEvent as OrderEvent } from './generated/events.ts'

const SIGNATURE_HEADER = 'x-service-signature'

/**
 * The event of a delivery whose signature is good; rejects with a `WebhookSignatureError` otherwise. The
 * same event can arrive more than once; its `id` is the same.
 */
export const verifyOrderEvent = async (
  delivery: SignedDelivery,
  options: Omit<VerifyOptions, 'signatureHeader'>,
): Promise<OrderEvent> =>
  (await verifyWebhook(delivery, {
    ...options,
    signatureHeader: SIGNATURE_HEADER,
  })) as unknown as OrderEvent

export interface OrderEventOptions
  extends Omit<WebhookHandlerOptions, 'onEvent' | 'onApproval' | 'signatureHeader'> {
  /** As a merchant's `onEvent`, with events of orders. */
  readonly onEvent: (event: OrderEvent) => unknown
}

/** For the adapters of `@tradepost/sdk/webhooks/…`: `expressWebhook(orderEvents({ secret, onEvent }))`. */
export const orderEvents = <Options extends OrderEventOptions>({
  onEvent,
  ...options
}: Options): Omit<Options, 'onEvent'> & WebhookHandlerOptions => ({
  ...options,
  onEvent: (event) => onEvent(event as unknown as OrderEvent),
  signatureHeader: SIGNATURE_HEADER,
})
