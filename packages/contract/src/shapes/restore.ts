import { type Static, Type } from 'typebox'
import { cursorListOf, cursorQuery } from '../lists.ts'
import { Cents, DateTime } from '../primitives.ts'
import { describe, nullable } from '../schema.ts'

export const LostOrder = Type.Object(
  {
    externalId: describe(
      nullable(Type.String()),
      'Of the trade. The same buy under it, for the same trade URL, gets its trade back.',
    ),
    userExternalId: describe(
      nullable(Type.String()),
      'Of the sub-user that bought; null when the merchant did.',
    ),
    marketHashName: describe(Type.String(), 'Of the item, as the platform names it.'),
    at: describe(DateTime, 'When the order was sent to its market.'),
    costCents: describe(Cents, 'What was escrowed for it, in cents of the buyer’s wallet.'),
  },
  { title: 'LostOrder' },
)
export type LostOrder = Static<typeof LostOrder>

export const Restore = Type.Object(
  {
    copyOf: describe(DateTime, 'What was committed after this moment is gone.'),
    restoredAt: describe(DateTime, 'When the service noticed that it was restored.'),
    lost: describe(
      Type.Array(LostOrder),
      'Orders of the merchant and its sub-users that were sent to a market, and whose trades are gone, oldest first; at most 10,000. Those that a repeated buy has brought back are not among them.',
    ),
  },
  { title: 'Restore' },
)
export type Restore = Static<typeof Restore>

export const RestoreList = cursorListOf('RestoreList', Restore)
export type RestoreList = Static<typeof RestoreList>

export const RestoreListQuery = Type.Object(cursorQuery, { additionalProperties: false })
export type RestoreListQuery = Static<typeof RestoreListQuery>
