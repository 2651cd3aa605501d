// What only an operator can resolve is reported as a case; reconciliation keeps it.

/**
 * Awaited before what it reports is recorded: after a crash the case is reported again, not forgotten.
 * `facts` name the deposit and make it this case.
 */
export type OnDepositCase = (
  kind:
    | 'deposit_contradiction'
    | 'deposit_held_back'
    | 'deposit_order_missing'
    | 'deposit_owed'
    | 'deposit_unclaimed',
  facts: Readonly<Record<string, unknown>> & { readonly depositId: string },
) => Promise<void> | void
