import { createHash } from 'node:crypto'
import type { Tx } from '#infra/database/db'
import type { Cents, Currency } from '#kernel/money'
import { type Posted, post } from './store.ts'

/** Play money for the demo, once for an owner; no supplier and no bank has any of it. */
export function demoDeposit(
  tx: Tx,
  deposit: {
    readonly ownerId: string
    readonly currency: Currency
    readonly amount: Cents
    readonly at: Date
  },
): Promise<Posted> {
  const { ownerId, currency, amount, at } = deposit
  return post(tx, {
    kind: 'deposit',
    refId: null,
    scopeId: ownerId,
    idempotencyKey: 'demo-deposit',
    requestHash: createHash('sha256').update(`demo-deposit ${amount}`).digest(),
    at,
    legs: [{ from: { house: 'clearing_demo' }, to: { ownerId, kind: 'spot' }, currency, amount }],
    externalRef: 'demo',
  })
}
