// The events of a deposit.
import type { DepositEventType, WebhookEventData } from '@tradepost/contract'
import { type TObject, Type } from 'typebox'
import type { Deposit } from '#deposits'
import { type EventEntry, entriesAbout } from '../../events/entry.ts'
import { depositView } from '../deposit.ts'

const depositEvent = entriesAbout<Deposit>()('deposit')

const render = (deposit: Deposit) => ({ deposit: depositView(deposit) })

const statusChange = depositEvent(Type.Object({}) as TObject, { render })

/** A deposit may be refunded in parts. */
const refund = depositEvent(Type.Object({ refundId: Type.String() }), {
  partOf: ({ refundId }) => refundId,
  render,
})

export const depositEventEntries = {
  'deposit.initiated': statusChange,
  'deposit.pending': statusChange,
  'deposit.completed': statusChange,
  'deposit.partial': statusChange,
  'deposit.expired': statusChange,
  'deposit.failed': statusChange,
  'deposit.refunded': refund,
  'deposit.cancelled': statusChange,
} satisfies {
  [EventType in DepositEventType]: EventEntry<'deposit', Deposit, WebhookEventData<EventType>>
}
