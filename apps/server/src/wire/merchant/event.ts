// An event as its merchant reads it back.
import type { MerchantEvent } from '@tradepost/contract'
import type { NewsEvent } from '#outbox'
import type { TradeNewsData } from './webhook.ts'

export const eventView = (
  { id, eventType, createdAt }: NewsEvent,
  data: TradeNewsData,
): MerchantEvent => ({
  id,
  type: eventType as MerchantEvent['type'],
  createdAt: createdAt.toISOString(),
  data,
})
