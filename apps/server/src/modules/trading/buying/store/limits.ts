// SQL of the limits that a buy counts under, for one that is only tried.
import { type Queryable, sql } from '#infra/database/db'
import type { Cents, Currency } from '#kernel/money'

const WOULD_REACH = sql(
  'buying.would_reach_limit',
  'select trades.would_reach_limit($1, $2, $3::bigint[], $4::ledger.currency, $5, $6) reached',
)
/** Whether a buy of items at these prices, cents of the wallet's currency, goes over a limit now. */
export async function wouldReachLimit(
  db: Queryable,
  buyer: {
    readonly accountId: string
    readonly keyId: string | null
    readonly currency: Currency
  },
  buy: {
    readonly prices: readonly Cents[]
    readonly usdPerEurMicros: bigint | null
    readonly at: Date
  },
): Promise<boolean> {
  const { accountId, keyId, currency } = buyer
  const values = [accountId, keyId, buy.prices, currency, buy.usdPerEurMicros, buy.at]
  const [row] = await db.query<{ reached: boolean }>(WOULD_REACH, values)
  return row?.reached ?? false
}
