import { type Static, Type } from 'typebox'
import { ExternalId } from '../primitives.ts'
import { describe, stringEnum } from '../schema.ts'
import { Trade } from './trade.ts'

export const TRADE_LOOKUP_STATUSES = ['found', 'never_seen'] as const
export const TradeLookupStatus = stringEnum(TRADE_LOOKUP_STATUSES, { title: 'TradeLookupStatus' })
export type TradeLookupStatus = Static<typeof TradeLookupStatus>

/** Of one externalId so many trades are shown; more than one only where several accounts used it. */
export const TRADES_SHOWN_EACH = 5
/** And so many are counted: beyond it a look-up would read as much as a merchant has accounts. */
export const TRADES_COUNTED_EACH = 100

export const TradeLookupBody = Type.Object(
  { externalIds: Type.Array(ExternalId, { minItems: 1, maxItems: 100 }) },
  {
    title: 'TradeLookupBody',
    examples: [{ externalIds: ['order-1001', 'order-1002'] }],
    additionalProperties: false,
  },
)
export type TradeLookupBody = Static<typeof TradeLookupBody>

export const TradeLookupResult = Type.Object(
  {
    externalId: ExternalId,
    status: describe(
      TradeLookupStatus,
      'never_seen: no trade carries it at this moment. A request that is still on its way may yet make one: repeat the request with the same externalId instead of using a new one.',
    ),
    trades: Type.Array(Trade, {
      description: `Every trade with it, newest first, of the merchant and of its sub-users: an externalId is unique for each account. At most ${TRADES_SHOWN_EACH} are shown; of more than ${TRADES_COUNTED_EACH} trades not always the newest.`,
    }),
    total: Type.Integer({
      minimum: 0,
      maximum: TRADES_COUNTED_EACH,
      description: `How many trades carry it; ${TRADES_COUNTED_EACH} stands for as many or more.`,
    }),
  },
  { title: 'TradeLookupResult' },
)
export type TradeLookupResult = Static<typeof TradeLookupResult>

export const TradeLookupResponse = Type.Object(
  {
    results: Type.Array(TradeLookupResult, {
      description: 'One for each externalId, in the order of the request.',
    }),
  },
  { title: 'TradeLookupResponse' },
)
export type TradeLookupResponse = Static<typeof TradeLookupResponse>
