// What an event is about, in the terms that every event has.
import type { WebhookEvent } from './sdk.ts'

export interface EventSubject {
  readonly kind: 'trade' | 'market order' | 'deposit' | 'withdrawal' | 'service'
  readonly id: string
  readonly status: string
  /** The merchant's own reference: of the trade or order, or of the account that the deposit is for. */
  readonly externalId: string | null
  readonly amount: number | null
  readonly currency: string
}

export function eventSubject({ data }: WebhookEvent): EventSubject {
  if ('trade' in data) {
    const { id, status, totalPrice: amount, currency, externalId = null } = data.trade
    return { kind: 'trade', id, status, externalId, amount, currency }
  }
  if ('order' in data) {
    const { id, status, maxPrice: amount, currency, externalId } = data.order
    return { kind: 'market order', id, status, externalId, amount, currency }
  }
  if ('withdrawal' in data) {
    const { id, status, amountCents, externalId } = data.withdrawal
    return {
      kind: 'withdrawal',
      id,
      status,
      externalId,
      amount: amountCents / 100,
      currency: 'USD',
    }
  }
  if ('component' in data) {
    const { component, name, status } = data
    const id = name === null ? component : `${component} ${name}`
    return { kind: 'service', id, status, externalId: null, amount: null, currency: 'USD' }
  }
  const { id, status, currency, userExternalId: externalId, ...deposit } = data.deposit
  const isCredited = deposit.creditedAmount !== null
  return {
    ...{ kind: 'deposit', id, status, externalId },
    amount: isCredited ? deposit.creditedAmount : deposit.receiveAmountUsd,
    currency: isCredited ? currency : 'USD',
  }
}
