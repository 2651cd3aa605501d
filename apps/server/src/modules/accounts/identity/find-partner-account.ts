import { batched } from '#infra/database/batch'
import type { Queryable } from '#infra/database/db'
import { readPartnerAccounts } from './child-store.ts'

/** A partner's own account or a child of it, with the fees as agreed, before any fallback. */
export interface PartnerAccount {
  readonly id: string
  readonly role: 'partner' | 'child'
  /** Its own service fee; null where the partner's or the global default holds. */
  readonly feeBps: number | null
  /** Of a partner's own account: itself. */
  readonly partner: {
    readonly id: string
    readonly feeBps: number | null
    /** The partner's cut on its children's buys; null: none. */
    readonly buyFeeBps: number | null
  }
}

/** The account that a key opens; null for a deleted one. The questions of one turn are one statement. */
export function createPartnerAccountFinder(
  db: Queryable,
): (accountId: string) => Promise<PartnerAccount | null> {
  return batched<string, PartnerAccount | null>(async (accountIds) => {
    const found: (PartnerAccount | null)[] = accountIds.map(() => null)
    for (const row of await readPartnerAccounts(db, accountIds)) {
      found[row.position - 1] = {
        id: row.id,
        role: row.kind,
        feeBps: row.fee_bps,
        partner: { id: row.partner_id, feeBps: row.partner_fee_bps, buyFeeBps: row.buy_fee_bps },
      }
    }
    return found
  })
}
