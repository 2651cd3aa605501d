// SQL of what became of each payment of a deposit, for people who look at it.
import { type Queryable, sql } from '#infra/database/db'
import type { Attos } from '#kernel/decimal'
import { type Cents, cents } from '#kernel/money'
import { attosOf } from './deposits.ts'

export interface CreditEntry {
  readonly at: Date
  readonly reference: string
  readonly amountToken: Attos
  /** Cents of the wallet. */
  readonly amount: Cents
  /** US cents. */
  readonly fee: Cents
}

export interface ReversalEntry extends Omit<CreditEntry, 'fee'> {
  /** Cents of the wallet that it did not cover. */
  readonly owed: Cents
}

interface Row {
  at: Date
  reference: string
  amount_token: string
  amount: bigint
  rest: bigint
}

const CREDITS = sql(
  'deposits.credit_entries',
  `select c.created_at at, c.settlement_ref reference, c.amount_token, c.wallet_amount amount, c.fee_usd rest
   from deposits.credit c where c.deposit_id = $1 order by c.id limit 1000`,
)
const REVERSALS = sql(
  'deposits.reversal_entries',
  `select r.created_at at, r.refund_ref reference, r.amount_token, r.wallet_amount amount, r.owed rest
   from deposits.reversal r where r.deposit_id = $1 order by r.id limit 1000`,
)

const entryOf = ({ at, reference, amount_token, amount }: Row) => ({
  ...{ at, reference, amountToken: attosOf(amount_token), amount: cents(amount) },
})

/** Oldest first. */
export async function readDepositEntries(
  db: Queryable,
  depositId: string,
): Promise<{ readonly credits: CreditEntry[]; readonly reversals: ReversalEntry[] }> {
  const credits = await db.query<Row>(CREDITS, [depositId])
  const reversals = await db.query<Row>(REVERSALS, [depositId])
  return {
    credits: credits.map((row) => ({ ...entryOf(row), fee: cents(row.rest) })),
    reversals: reversals.map((row) => ({ ...entryOf(row), owed: cents(row.rest) })),
  }
}
