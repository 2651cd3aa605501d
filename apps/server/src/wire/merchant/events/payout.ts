// The events of payout custody.
import type { PayoutEventType, WebhookEventData } from '@tradepost/contract'
import { type TObject, Type } from 'typebox'
import { assertDefined } from '#kernel/assert'
import type { CustodyDeposit, Withdrawal } from '#payouts'
import { type EventEntry, entriesAbout } from '../../events/entry.ts'
import { custodyDepositView, withdrawalView } from '../payout.ts'

/** A deposit with the external id of the sub-user whose address was paid. */
export interface AttributedDeposit {
  readonly id: string
  readonly deposit: CustodyDeposit
  readonly forUserExternalId: string | null
}

const nothing = Type.Object({}) as TObject
const ofWithdrawal = entriesAbout<Withdrawal>()('withdrawal')(nothing, {
  render: (withdrawal) => ({ withdrawal: withdrawalView(withdrawal) }),
})
/** The nonce of a payment that an operator named is in the event alone. */
const broadcast = entriesAbout<Withdrawal>()('withdrawal')(
  Type.Object({ nonce: Type.Optional(Type.Integer()) }),
  {
    render: (withdrawal, { nonce = withdrawal.nonce }) => ({
      withdrawal: withdrawalView(withdrawal),
      nonce: assertDefined(nonce, 'the nonce of a payment that was sent'),
    }),
  },
)
const ofDeposit = entriesAbout<AttributedDeposit>()('custody_deposit')(nothing, {
  render: ({ deposit, forUserExternalId }) => ({
    deposit: custodyDepositView(deposit, forUserExternalId),
    forUserExternalId,
  }),
})

export const payoutEventEntries = {
  'payout.crypto.deposit.completed': ofDeposit,
  'payout.crypto.withdraw.approval': ofWithdrawal,
  'payout.crypto.withdraw.broadcast': broadcast,
  'payout.crypto.withdraw.confirmed': ofWithdrawal,
  'payout.crypto.withdraw.refunded': ofWithdrawal,
} satisfies {
  [EventType in PayoutEventType]: EventEntry<string, never, WebhookEventData<EventType>>
}
