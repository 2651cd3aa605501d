import { type Static, Type } from 'typebox'
import { ExternalId, FilterText, Uuid } from '../primitives.ts'
import { describe, stringEnum, withExample } from '../schema.ts'

export const CANCEL_STATUSES = ['cancelled', 'failed'] as const
export const CancelStatus = stringEnum(CANCEL_STATUSES, { title: 'CancelStatus' })
export type CancelStatus = Static<typeof CancelStatus>

export const CancelItemParams = Type.Object({
  tradeId: Uuid,
  itemId: withExample(
    describe(FilterText, 'The item’s id, or the externalId that it was bought under.'),
    'order-1001-a',
  ),
})
export type CancelItemParams = Static<typeof CancelItemParams>

export const CancelItemResponse = Type.Object(
  {
    itemId: Uuid,
    status: describe(
      CancelStatus,
      'failed: the supplier refused or did not answer. The item continues; if it was canceled nevertheless, its status and trade.refunded show it.',
    ),
  },
  { title: 'CancelItemResponse' },
)
export type CancelItemResponse = Static<typeof CancelItemResponse>

export const CanceledItem = Type.Object(
  {
    itemId: Uuid,
    externalId: Type.Optional(ExternalId),
    status: CancelStatus,
    reason: Type.Optional(
      Type.String({
        description:
          'The key of the refusal, such as TRADE_CANCEL_TOO_SOON; TRADE_CANCEL_PENDING when the market will be asked as soon as its budget of calls allows; absent when the supplier refused or did not answer.',
      }),
    ),
  },
  { title: 'CanceledItem' },
)
export type CanceledItem = Static<typeof CanceledItem>

export const CancelTradeResponse = Type.Object(
  {
    tradeId: Uuid,
    requested: Type.Integer({
      description: 'Items that had not ended and were not in hold when it was asked.',
    }),
    cancelled: Type.Integer(),
    failed: Type.Integer(),
    items: Type.Array(CanceledItem),
  },
  { title: 'CancelTradeResponse' },
)
export type CancelTradeResponse = Static<typeof CancelTradeResponse>
