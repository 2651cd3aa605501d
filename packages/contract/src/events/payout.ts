// The events of payout custody. The approval is no event of the queue: it is posted directly, and its
// answer decides.
import { type Static, Type } from 'typebox'
import { nullable } from '../schema.ts'
import { Deposit } from '../shapes/deposit.ts'
import { Withdrawal } from '../shapes/payout.ts'
import { type EventDefinition, event } from './family.ts'

export const WithdrawalEventData = Type.Object(
  { withdrawal: Withdrawal },
  { title: 'WithdrawalEventData' },
)
export type WithdrawalEventData = Static<typeof WithdrawalEventData>

export const BroadcastEventData = Type.Object(
  {
    ...WithdrawalEventData.properties,
    nonce: Type.Integer({
      minimum: 0,
      description:
        'Of the transaction that pays it. It stays while its fees are raised; under another nonce it would be another event.',
    }),
  },
  { title: 'BroadcastEventData' },
)
export type BroadcastEventData = Static<typeof BroadcastEventData>

export const CustodyDepositEventData = Type.Object(
  { deposit: Deposit, forUserExternalId: nullable(Type.String()) },
  { title: 'CustodyDepositEventData' },
)
export type CustodyDepositEventData = Static<typeof CustodyDepositEventData>

export const payoutEvents = {
  'payout.crypto.deposit.completed': event(
    'payout.crypto.deposit.completed',
    'A deposit into payout custody is confirmed.',
    CustodyDepositEventData,
  ),
  'payout.crypto.withdraw.approval': event(
    'payout.crypto.withdraw.approval',
    'Asks whether a withdrawal may leave: 2xx within 5 seconds lets it, 4xx refunds it.',
    WithdrawalEventData,
  ),
  'payout.crypto.withdraw.broadcast': event(
    'payout.crypto.withdraw.broadcast',
    'The withdrawal was sent to its chain.',
    BroadcastEventData,
  ),
  'payout.crypto.withdraw.confirmed': event(
    'payout.crypto.withdraw.confirmed',
    'The withdrawal is paid for good.',
    WithdrawalEventData,
  ),
  'payout.crypto.withdraw.refunded': event(
    'payout.crypto.withdraw.refunded',
    'The withdrawal was not paid; amount and fee are back in custody.',
    WithdrawalEventData,
  ),
} as const satisfies Record<string, EventDefinition>

export type PayoutEventType = keyof typeof payoutEvents
