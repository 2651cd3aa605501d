// One box for every id that a person may have in hand.
import { type Static, Type } from 'typebox'
import { Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'

export const HIT_KINDS = [
  'trade',
  'account',
  'deposit',
  'withdrawal',
  'custody_deposit',
  'delivery',
  'event',
  'key',
  'case',
] as const

export const FindQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'The id of a trade, item, offer, request, event, delivery, deposit, withdrawal, key or account; an external id, a supplier’s order, a transaction’s hash, an address, an e-mail address.',
      examples: ['019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d'],
    }),
  },
  { title: 'FindQuery' },
)
export const FoundHit = Type.Object(
  {
    kind: stringEnum(HIT_KINDS),
    id: Uuid,
    accountId: nullable(describe(Uuid, 'The merchant or partner that it belongs to.')),
    subjectId: nullable(
      describe(Uuid, 'What an event or a delivery is about: a trade, deposit or withdrawal.'),
    ),
    title: describe(Type.String(), 'What it is, such as `buy` or `trade.completed`.'),
    status: nullable(Type.String()),
  },
  { title: 'FoundHit' },
)
export type FoundHit = Static<typeof FoundHit>
export const FoundHits = Type.Object(
  { hits: describe(Type.Array(FoundHit), 'At most 20; one may be opened at once.') },
  { title: 'FoundHits' },
)
