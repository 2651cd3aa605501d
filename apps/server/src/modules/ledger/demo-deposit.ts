import { createHash } from 'node:crypto'
import type { Tx } from '#infra/db'
import type { Cents, Currency } from '#kernel/money'
import { type Posted, postDemoDeposit } from './store.ts'

/** Play money for the demo world, once for an owner; no supplier and no bank knows of it. */
export function demoDeposit(
  tx: Tx,
  deposit: {
    readonly ownerId: string
    readonly currency: Currency
    readonly amount: Cents
    readonly at: Date
  },
): Promise<Posted> {
  const requestHash = createHash('sha256').update(`demo-deposit ${deposit.amount}`).digest()
  return postDemoDeposit(tx, { ...deposit, requestHash })
}
