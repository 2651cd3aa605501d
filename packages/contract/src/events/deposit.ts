// The events of a deposit.
import { type Static, Type } from 'typebox'
import { Deposit } from '../shapes/deposit.ts'
import { type EventDefinition, event } from './family.ts'

export const DepositEventData = Type.Object({ deposit: Deposit }, { title: 'DepositEventData' })
export type DepositEventData = Static<typeof DepositEventData>

export const depositEvents = {
  'deposit.initiated': event(
    'deposit.initiated',
    'A deposit was created, or a transfer was first seen.',
    DepositEventData,
  ),
  'deposit.pending': event(
    'deposit.pending',
    'A payment was seen and is not settled yet.',
    DepositEventData,
  ),
  'deposit.completed': event(
    'deposit.completed',
    'The whole amount arrived; the wallet is credited.',
    DepositEventData,
  ),
  'deposit.partial': event(
    'deposit.partial',
    'The order is over and less than the whole amount arrived; what arrived is credited.',
    DepositEventData,
  ),
  'deposit.expired': event('deposit.expired', 'Nothing was paid in time.', DepositEventData),
  'deposit.failed': event(
    'deposit.failed',
    'It failed; `reason` says why. A credited chain deposit that its chain gave up was taken back.',
    DepositEventData,
  ),
  'deposit.refunded': event(
    'deposit.refunded',
    'The provider took a payment back, and so did we; one event for each refund.',
    DepositEventData,
  ),
  'deposit.cancelled': event(
    'deposit.cancelled',
    'It was cancelled before a payment was seen.',
    DepositEventData,
  ),
} as const satisfies Record<string, EventDefinition>

export type DepositEventType = keyof typeof depositEvents
