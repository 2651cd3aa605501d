// SQL of what deposits were credited and what was taken back.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { type Attos, formatDecimal } from '#kernel/decimal'
import { type Cents, cents } from '#kernel/money'
import type { ExactUsd } from '../amounts.ts'
import type { DepositStatus, DepositSubstate, FailureReason } from '../deposit.ts'
import { exactText } from '../exact.ts'
import { inLockOrder } from './lock-order.ts'

export interface NewCredit {
  readonly provider: 'gateway' | 'onramp' | 'chain'
  readonly settlementRef: string
  readonly amount: Attos
  readonly value: ExactUsd
  readonly rateSources: readonly string[]
  /** US cents. */
  readonly net: Cents
  readonly fee: Cents
  /** Null where no euro is involved. */
  readonly usdPerEurMicros: bigint | null
}

const CREDIT = sql(
  'deposits.credit_payment',
  `select credited, wallet_amount, is_unclaimed from deposits.credit_payment($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)
/** Credits one payment; `credited` is false when it was credited before. */
export async function creditPayment(
  tx: Tx,
  depositId: string,
  credit: NewCredit,
  at: Date,
): Promise<{ credited: boolean; amount: Cents; isUnclaimed: boolean }> {
  const [row] = await tx.query<{
    credited: boolean
    wallet_amount: bigint
    is_unclaimed: boolean
  }>(CREDIT, [
    depositId,
    credit.provider,
    credit.settlementRef,
    formatDecimal(credit.amount),
    exactText(credit.value),
    JSON.stringify(credit.rateSources),
    credit.net,
    credit.fee,
    credit.usdPerEurMicros,
    at,
  ])
  const { credited, wallet_amount, is_unclaimed } = assertDefined(row, 'the credit')
  return { credited, amount: cents(wallet_amount), isUnclaimed: is_unclaimed }
}

const REVERSE = sql(
  'deposits.reverse_payment',
  'select reversed, wallet_amount, owed from deposits.reverse_payment($1, $2, $3, $4, $5, $6, $7)',
)
/** Takes back the share of one refund, once. `owed` is what the wallet did not cover. */
export async function reversePayment(
  tx: Tx,
  depositId: string,
  reversal: {
    readonly provider: NewCredit['provider']
    readonly refundRef: string
    readonly amount: Attos
    readonly to: DepositStatus
    readonly reason: FailureReason | null
  },
  at: Date,
): Promise<{ reversed: boolean; takenBack: Cents; owed: Cents }> {
  const [row] = await tx.query<{ reversed: boolean; wallet_amount: bigint; owed: bigint }>(
    REVERSE,
    [
      depositId,
      reversal.provider,
      reversal.refundRef,
      formatDecimal(reversal.amount),
      reversal.to,
      reversal.reason,
      at,
    ],
  )
  const { reversed, wallet_amount, owed } = assertDefined(row, 'the reversal')
  return { reversed, takenBack: cents(wallet_amount), owed: cents(owed) }
}

/** What a read of an order means for its deposit; see `deposits.apply_reads`. */
export interface AppliedRead {
  readonly depositId: string
  readonly accountId: string
  /** The row that was decided upon. */
  readonly version: string
  readonly provider: 'gateway' | 'onramp'
  readonly isPaymentSeen: boolean
  readonly credits: readonly Pick<NewCredit, 'settlementRef' | 'amount' | 'value' | 'net' | 'fee'>[]
  readonly rateSources: readonly string[]
  /** Null where no euro is involved. */
  readonly usdPerEurMicros: bigint | null
  readonly to: {
    readonly status: DepositStatus
    readonly reason: FailureReason | null
    readonly substate: DepositSubstate | null
  }
  readonly reversals: readonly { readonly refundRef: string; readonly amount: Attos }[]
  readonly at: Date
  readonly leaseUntil: Date
  /** The next look; null: never again. */
  readonly dueAt: Date | null
}

/** What became of a read: null when the deposit had changed since it was decided upon. */
export type Applied = {
  readonly isUnclaimed: boolean
  /** Cents that the wallet did not cover. */
  readonly owed: Cents
} | null

interface AppliedRow {
  applied: boolean
  is_unclaimed: boolean
  owed: bigint
}

const APPLY = sql(
  'deposits.apply_reads',
  'select applied, is_unclaimed, owed from deposits.apply_reads($1, $2, $3)',
)
/** Steps, postings, events and the next look of each read, all in one commit. */
export async function applyReads(db: Queryable, reads: readonly AppliedRead[]): Promise<Applied[]> {
  const inOrder = inLockOrder(reads)
  const rows = await db.query<AppliedRow>(APPLY, [
    JSON.stringify(inOrder.map(rowOf)),
    JSON.stringify(inOrder.flatMap(creditsOf)),
    JSON.stringify(inOrder.flatMap(reversalsOf)),
  ])
  return reads.map((read) => {
    const row = assertDefined(rows[inOrder.indexOf(read)], 'what became of the read')
    return row.applied ? { isUnclaimed: row.is_unclaimed, owed: cents(row.owed) } : null
  })
}

const rowOf = (read: AppliedRead) => ({
  deposit_id: read.depositId,
  version: read.version,
  is_payment_seen: read.isPaymentSeen,
  to_status: read.to.status,
  reason: read.to.reason,
  substate: read.to.substate,
  at: read.at,
  lease_until: read.leaseUntil,
  due_at: read.dueAt,
})

const creditsOf = ({ credits, ...read }: AppliedRead) =>
  credits.map(({ settlementRef, amount, value, net, fee }) => ({
    deposit_id: read.depositId,
    provider: read.provider,
    settlement_ref: settlementRef,
    amount_token: formatDecimal(amount),
    value_usd: exactText(value),
    rate_sources: read.rateSources,
    net_usd: String(net),
    fee_usd: String(fee),
    usd_per_eur_micros: read.usdPerEurMicros === null ? null : String(read.usdPerEurMicros),
    at: read.at,
  }))

const reversalsOf = ({ reversals, depositId, provider, at }: AppliedRead) =>
  reversals.map(({ refundRef, amount }) => ({
    ...{ deposit_id: depositId, provider, refund_ref: refundRef },
    ...{ amount_token: formatDecimal(amount), at },
  }))

const CREDITED = sql(
  'deposits.credited_by_hour',
  `select date_trunc('hour', c.created_at, 'UTC') "at", d.tenant_id "tenantId", count(*)::int "count",
     sum(c.net_usd)::bigint "usdCents"
   from deposits.credit c join deposits.deposit d on d.id = c.deposit_id
   where c.provider in ('gateway', 'onramp', 'chain') and c.created_at >= $1 and c.created_at < $2 group by 1, 2`,
)
export interface CreditedOfHour {
  /** The start of the hour. */
  readonly at: Date
  readonly tenantId: string
  readonly count: number
  /** US cents for wallets, after the fee. */
  readonly usdCents: bigint
}
/** Payments that were credited from `from` on and before `to`; what was taken back later is among them. */
export const sumCredited = (
  db: Queryable,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<CreditedOfHour[]> => db.query<CreditedOfHour>(CREDITED, [from, to])
