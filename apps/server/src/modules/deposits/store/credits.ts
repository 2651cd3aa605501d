// SQL of what deposits were credited and what was taken back.
import { type Queryable, sql, type Tx } from '#infra/db'
import { assertDefined } from '#kernel/assert'
import { type Attos, formatDecimal } from '#kernel/decimal'
import { type Cents, cents } from '#kernel/money'
import type { Credited, ExactUsd } from '../amounts.ts'
import type { DepositStatus, FailureReason } from '../deposit.ts'
import { exactOf, exactText } from '../exact.ts'
import { attosOf } from './deposits.ts'
import { type HeldPayment, listHeldOf } from './held.ts'

export interface CreditRecord {
  readonly settlementRef: string
  readonly amount: Attos
}

export interface DepositAccount extends Credited {
  readonly credits: readonly CreditRecord[]
  readonly reversedRefs: ReadonlySet<string>
  /** Payments that were held back once, by settlement reference. */
  readonly held: ReadonlyMap<string, HeldPayment>
}

interface CreditRow {
  settlement_ref: string
  amount_token: string
  value_usd: string
  net_usd: bigint
  fee_usd: bigint
}

const CREDITS = sql(
  'deposits.credits_of',
  `select settlement_ref, amount_token, value_usd, net_usd, fee_usd from deposits.credit
   where deposit_id = $1 order by id limit 1000`,
)
const REVERSALS = sql(
  'deposits.reversals_of',
  'select refund_ref from deposits.reversal where deposit_id = $1 limit 1000',
)
/** What a deposit has been credited so far; under its lock it stays so. */
export async function readAccountOf(db: Queryable, depositId: string): Promise<DepositAccount> {
  const rows = await db.query<CreditRow>(CREDITS, [depositId])
  const reversals = await db.query<{ refund_ref: string }>(REVERSALS, [depositId])
  const held = await listHeldOf(db, depositId)
  let value: ExactUsd = 0n
  let net = 0n
  let fee = 0n
  for (const row of rows) {
    value += exactOf(row.value_usd)
    net += row.net_usd
    fee += row.fee_usd
  }
  return {
    value,
    net: cents(net),
    fee: cents(fee),
    credits: rows.map((row) => ({
      settlementRef: row.settlement_ref,
      amount: attosOf(row.amount_token),
    })),
    reversedRefs: new Set(reversals.map(({ refund_ref }) => refund_ref)),
    held: new Map(held.map((payment) => [payment.settlementRef, payment])),
  }
}

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

const DEBTORS = sql(
  'deposits.debtors',
  `select owner from ledger.owners_below_zero('deposit_debt', 'spot', $1) owner`,
)
/** Owners who owe for deposits that were taken back, and whose wallet holds something now. */
export async function findDebtorsWithMoney(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ owner: string }>(DEBTORS, [limit])
  return rows.map(({ owner }) => owner)
}

const COLLECT = sql('deposits.collect_debt', 'select deposits.collect_debt($1, $2) repaid')
export async function collectDebt(tx: Tx, accountId: string, at: Date): Promise<Cents> {
  const [row] = await tx.query<{ repaid: bigint }>(COLLECT, [accountId, at])
  return cents(assertDefined(row, 'the repayment').repaid)
}
