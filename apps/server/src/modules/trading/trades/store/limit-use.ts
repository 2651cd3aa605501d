// SQL of what an account has used of its limits, counted as a buy counts it.
import { type Queryable, sql } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { type Cents, cents } from '#kernel/money'

export interface LimitUse {
  /** What its buys of the UTC day cost, less what was given back; cents of its wallet. */
  readonly spentToday: Cents
  readonly openTrades: number
}

const LIMIT_USE = sql(
  'trades.limit_use',
  `select trades.spent_on($1, identity.period_of('day', $2)) spent, trades.open_buys($1) open`,
)
export async function readLimitUse(db: Queryable, accountId: string, at: Date): Promise<LimitUse> {
  const [row] = await db.query<{ spent: bigint; open: bigint }>(LIMIT_USE, [accountId, at])
  const { spent, open } = assertDefined(row, 'the use of limits')
  return { spentToday: cents(spent), openTrades: Number(open) }
}
