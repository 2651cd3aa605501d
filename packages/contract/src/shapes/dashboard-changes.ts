// What has changed since a page last asked: enough to read again what it shows, and none of the data.
import { type Static, Type } from 'typebox'
import { Uuid } from '../primitives.ts'
import { describe } from '../schema.ts'
import { MerchantEventsQuery } from './event.ts'

export const ChangesQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        pattern: '^[\\x21-\\x7e]+$',
        description:
          'The `position` of the last answer. Without it the answer comes at once, and says where the changes are now.',
      }),
    ),
    wait: MerchantEventsQuery.properties.wait,
  },
  { title: 'ChangesQuery' },
)

export const Changes = Type.Object(
  {
    position: describe(
      Type.String(),
      'For the next question, as `after`. Its form is not documented.',
    ),
    topics: Type.Array(
      Type.String({
        description:
          'Of an account: the types of its events. For administrators: acts, cases, events, deliveries, held_payments, held_withdrawals.',
      }),
    ),
    subjects: describe(
      Type.Array(Uuid),
      'The trades, deposits and withdrawals that the events of an account are about.',
    ),
    isMore: Type.Boolean({
      description: 'There was more than one answer holds: anything may have changed.',
    }),
  },
  { title: 'Changes' },
)
export type Changes = Static<typeof Changes>
