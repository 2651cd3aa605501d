// The `data` of a webhook, from the event and the state of its trade at the moment of the attempt.
import type { TradeEventData, WebhookEventData } from '@tradepost/contract'
import { type Cents, cents } from '#kernel/money'
import type { Trade } from '#trades'
import { moneyNumber } from '../money.ts'
import { tradeView } from './trade.ts'

export interface TradeNews {
  readonly eventType: string
  /** What the event itself says: the settlement, or one item's refund. */
  readonly payload: Readonly<Record<string, unknown>>
}

export type TradeNewsData =
  | TradeEventData
  | WebhookEventData<'trade.settled'>
  | WebhookEventData<'trade.refunded'>

export function tradeNewsData({ eventType, payload }: TradeNews, trade: Trade): TradeNewsData {
  const view = tradeView(trade)
  switch (eventType) {
    case 'trade.completed':
    case 'trade.settled':
      return {
        trade: view,
        settlement: {
          houseFeeCents: Number(payload.houseFeeCents),
          merchantFeeCents: Number(payload.merchantFeeCents),
        },
      }
    case 'trade.refunded':
      return {
        trade: view,
        refund: {
          itemId: String(payload.itemId),
          ...(typeof payload.externalId === 'string' && { externalId: payload.externalId }),
          buyerFault: payload.buyerFault === true,
          refunded: moneyNumber(centsOf(payload.refundedUsdCents)),
          penalty: moneyNumber(centsOf(payload.penaltyUsdCents)),
        },
      }
    default:
      return { trade: view }
  }
}

// Written by our own SQL as a whole JSON number, far below 2^53.
const centsOf = (value: unknown): Cents => cents(BigInt(Number(value)))
