// An event as its merchant reads it back.
import type { MerchantEvent } from '@tradepost/contract'
import type { OutboxEvent } from '#outbox'

export const eventView = (
  { id, eventType, createdAt }: OutboxEvent,
  data: MerchantEvent['data'],
): MerchantEvent => ({
  id,
  type: eventType as MerchantEvent['type'],
  createdAt: createdAt.toISOString(),
  data,
})
