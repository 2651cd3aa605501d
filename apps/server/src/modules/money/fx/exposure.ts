// What the service holds or owes in euros because of conversions, and the rules that bound it.
import type { Queryable, Tx } from '#infra/database/db'
import { type Cents, type Currency, cents, divideHalfUp } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { readExchange } from '#ledger'
import { ageDays } from './check-rate.ts'
import type { Rate } from './rate.ts'
import { addToPosition, findLatestRate } from './store.ts'

/** A merchant who may convert at a rate of last week has an option on this week's. */
const MAX_CONVERSION_AGE_DAYS = 3

/** Refuses SERVICE_DISABLED where money would be converted at a rate older than three days. */
export function refuseOldConversion(rate: Rate, now: Date): void {
  if (ageDays(rate, now) > MAX_CONVERSION_AGE_DAYS) {
    refuse('SERVICE_DISABLED', { reason: 'exchange_rate' })
  }
}

/** The position of the exchange accounts in euros, in US cents at this rate and without its sign. */
const inDollars = (euros: bigint, usdPerEurMicros: bigint): Cents =>
  cents(divideHalfUp((euros < 0n ? -euros : euros) * usdPerEurMicros, 1_000_000n))

/** Null before the first rate. */
export async function readExposure(db: Queryable): Promise<Cents | null> {
  const rate = await findLatestRate(db)
  if (rate === null) return null
  const balances = await readExchange(db)
  return inDollars(balances.get('EUR') ?? 0n, rate.usdPerEurMicros)
}

export interface ConvertedTransfer {
  readonly tenantId: string
  readonly from: { readonly currency: Currency; readonly amount: Cents }
  readonly to: { readonly currency: Currency; readonly amount: Cents }
  readonly usdPerEurMicros: bigint
  readonly limit: Cents
  /** What the conversions of one tenant may take of the limit. */
  readonly tenantLimit: Cents
}

/**
 * Refuses SERVICE_DISABLED when this conversion, posted in this transaction, brought the exposure above
 * its limit, or above what one tenant may take of it while the tenant's own conversions did that. What
 * lowers the exposure always passes, and what an operator has covered counts for no tenant any more. The
 * posting holds the rows of the exchange accounts, so two conversions cannot pass the limit together.
 */
export async function refuseBeyondLimit(tx: Tx, transfer: ConvertedTransfer): Promise<void> {
  const { tenantId, from, to, usdPerEurMicros, limit, tenantLimit } = transfer
  const after = (await readExchange(tx)).get('EUR') ?? cents(0n)
  const change = from.currency === 'EUR' ? from.amount : -to.amount
  const ofTenant = await addToPosition(tx, tenantId, change)
  const exposure = inDollars(after, usdPerEurMicros)
  const isRising = exposure > inDollars(after - change, usdPerEurMicros)
  if (!isRising) return
  const isOfThisSide = ofTenant < 0n === after < 0n
  const part = isOfThisSide ? inDollars(ofTenant, usdPerEurMicros) : cents(0n)
  if (exposure > limit || (exposure > tenantLimit && part > tenantLimit)) {
    refuse('SERVICE_DISABLED', { reason: 'exchange_exposure' })
  }
}
