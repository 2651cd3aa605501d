import { STATUSES } from './trade.ts'

/**
 * The deduplication keys of all events that a trade and its items can have. The outbox is read by key: an
 * index of subjects would be paid for by every step.
 */
export const tradeEventKeys = (tradeId: string, itemIds: readonly string[]): string[] => [
  ...[...STATUSES, 'settled'].map((status) => `trade.${status}:${tradeId}`),
  ...itemIds.map((itemId) => `trade.refunded:${itemId}`),
]
