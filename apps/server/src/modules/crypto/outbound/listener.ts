// What became of transactions, for those who queued them. A listener is called in the transaction that
// records the step, so that their state, their money and their event are the same commit.
import type { Tx } from '#infra/database/db'
import type { Hex } from '#kernel/chain'
import type { Purpose } from './transaction.ts'

export interface Accepted {
  readonly refId: string
  readonly hash: Hex
  readonly nonce: number
  readonly at: Date
}

/**
 * `confirmed`: paid, for good. Nothing was paid, for good: `canceled` (never signed), `reverted` (our own
 * transaction failed) and `displaced` (another transaction has its nonce). `no_effect`: mined as a success
 * without the transfer that it was to make; what that means is for an operator to decide.
 */
export interface Finished {
  readonly refId: string
  readonly outcome: 'confirmed' | 'reverted' | 'displaced' | 'no_effect' | 'canceled'
  /** Why, for an operator; the rule of a simulation or a signer, for example. */
  readonly detail: string | null
  /** The transaction that was mined; null for one that was canceled, or displaced by a foreign one. */
  readonly hash: Hex | null
  readonly at: Date
}

export interface OutboundListener {
  /**
   * A node has them for the first time. In the order of their nonces. Again for one that was given up and is
   * mined all the same: what is known already changes nothing.
   */
  accepted(tx: Tx, sent: readonly Accepted[]): Promise<void>
  /** Once for each transaction. */
  finished(tx: Tx, end: Finished): Promise<void>
}

export type Listeners = Readonly<Partial<Record<Purpose, OutboundListener>>>
