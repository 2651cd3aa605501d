import { batched } from '#infra/database/batch'
import type { Queryable } from '#infra/database/db'
import { isUuid } from '#kernel/id'
import type { Currency } from '#kernel/money'
import { type CallerRow, findCallers } from './store.ts'

/** An account that a call acts for, with the fees as agreed, before any fallback. */
export interface CallingAccount {
  readonly id: string
  readonly role: 'merchant' | 'sub_user'
  readonly status: 'active' | 'suspended'
  readonly currency: Currency
  readonly platformId: string | null
  readonly feeBps: number | null
  readonly merchant: {
    readonly buyFeeBps: number
    readonly sellFeeBps: number
    readonly childDefaultFeeBps: number | null
  }
  readonly primaryTradeUrl: { readonly url: string; readonly platformId: string } | null
}

export interface CallerReference {
  readonly merchantId: string
  /** A sub-user's id or external id; null for the merchant itself. */
  readonly reference: string | null
}

/**
 * Finds the account that a call acts for; null when the merchant has no such sub-user. Every request
 * asks, so the queries of one turn of the event loop go out as one statement, and nothing is
 * remembered: a suspension holds from the next request on.
 */
export function createCallerFinder(
  db: Queryable,
): (reference: CallerReference) => Promise<CallingAccount | null> {
  return batched<CallerReference, CallingAccount | null>(async (references) => {
    const found: (CallingAccount | null)[] = references.map(() => null)
    for (const row of await findCallers(db, references.map(queryOf))) {
      found[row.position - 1] = callerOf(row)
    }
    return found
  })
}

const queryOf = ({ merchantId, reference }: CallerReference) =>
  reference === null
    ? { merchantId, accountId: merchantId, externalId: null }
    : { merchantId, accountId: isUuid(reference) ? reference : null, externalId: reference }

const callerOf = (row: CallerRow): CallingAccount => ({
  id: row.id,
  role: row.kind,
  status: row.status,
  currency: row.currency,
  platformId: row.platform_id,
  feeBps: row.fee_bps,
  merchant: {
    buyFeeBps: row.buy_fee_bps,
    sellFeeBps: row.sell_fee_bps,
    childDefaultFeeBps: row.child_default_fee_bps,
  },
  primaryTradeUrl:
    row.primary_url === null || row.primary_platform_id === null
      ? null
      : { url: row.primary_url, platformId: row.primary_platform_id },
})
