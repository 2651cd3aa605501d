// What only an operator can resolve is reported as a case; reconciliation keeps it.

import type { Tx } from '#infra/database/db'

type Kind =
  | 'deposit_contradiction'
  | 'deposit_held_back'
  | 'deposit_order_missing'
  | 'deposit_owed'
  | 'deposit_unclaimed'

/** They name the deposit and make it this case. */
type Details = Readonly<Record<string, unknown>> & { readonly depositId: string }

export interface OnDepositCase {
  /** Awaited before what it reports is recorded: after a crash the case is reported again, not forgotten. */
  (kind: Kind, details: Details): Promise<void> | void
  /** In the commit of what it is about. What it returns is called after that commit. */
  within(tx: Tx, kind: Kind, details: Details): Promise<() => void>
}
