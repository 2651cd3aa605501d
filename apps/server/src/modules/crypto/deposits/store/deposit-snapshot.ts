// SQL of a deposit as one look at its order needs it: what it was credited, what was taken back and what is
// held back, in the statement that reads the deposit.
import type { Row } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import { type Attos, attos } from '#kernel/decimal'
import { cents } from '#kernel/money'
import type { Credited, ExactUsd } from '../amounts.ts'
import type { Deposit } from '../deposit.ts'
import { exactOf } from '../exact.ts'
import { attosOf, DEPOSIT } from './deposits.ts'
import type { HeldPayment, HeldState } from './held.ts'

export interface CreditRecord {
  readonly settlementRef: string
  readonly amount: Attos
}

export interface DepositAccount extends Credited {
  readonly credits: readonly CreditRecord[]
  readonly reversedRefs: ReadonlySet<string>
  /** Tokens of refunds that were more than was credited when each was seen: they took nothing back. */
  readonly uncovered: Attos
  /** Payments that were held back once, by settlement reference. */
  readonly held: ReadonlyMap<string, Pick<HeldPayment, 'state' | 'amount' | 'value' | 'problem'>>
}

export interface DepositSnapshot {
  readonly deposit: Deposit
  readonly account: DepositAccount
  /** Another one as soon as the deposit has changed: each credit and each reversal changes it too. */
  readonly version: string
}

/** Of its payments, as JSON. */
interface Payments {
  version: string
  credits:
    | { ref: string; amount: string; value: string; net: string; fee: string; at: number }[]
    | null
  reversals: { ref: string; amount: string; at: number }[] | null
  held:
    | {
        ref: string
        state: HeldState
        amount: string | null
        value: string | null
        problem: string
      }[]
    | null
}

export type SnapshotRow = Row<Deposit> & Payments

/** Of `deposits.deposit d`. In the JSON decimal numbers are texts, times are seconds and exact. */
export const SNAPSHOT_COLUMNS = `${DEPOSIT.list}, d.xmin::text version,
  (select jsonb_agg(jsonb_build_object('ref', c.settlement_ref, 'amount', c.amount_token::text, 'value', c.value_usd::text,
     'net', c.net_usd::text, 'fee', c.fee_usd::text, 'at', extract(epoch from c.created_at)))
     from deposits.credit c where c.deposit_id = d.id) credits,
  (select jsonb_agg(jsonb_build_object('ref', r.refund_ref, 'amount', r.amount_token::text,
     'at', extract(epoch from r.created_at))) from deposits.reversal r where r.deposit_id = d.id) reversals,
  (select jsonb_agg(jsonb_build_object('ref', h.settlement_ref, 'state', h.state, 'amount', h.amount_token::text,
     'value', h.value_usd::text, 'problem', h.problem)) from deposits.held_payment h where h.deposit_id = d.id) held`

export const snapshotOf = (row: SnapshotRow): DepositSnapshot => ({
  deposit: DEPOSIT.of(row),
  account: accountOf(row),
  version: row.version,
})

function accountOf({ credits, reversals, held }: Payments): DepositAccount {
  let value: ExactUsd = 0n
  let net = 0n
  let fee = 0n
  for (const credit of credits ?? []) {
    value += exactOf(credit.value)
    net += BigInt(credit.net)
    fee += BigInt(credit.fee)
  }
  return {
    value,
    net: cents(net),
    fee: cents(fee),
    credits: (credits ?? []).map(({ ref, amount }) => ({
      ...{ settlementRef: ref, amount: attosOf(amount) },
    })),
    reversedRefs: new Set((reversals ?? []).map(({ ref }) => ref)),
    uncovered: uncoveredBy(reversals ?? [], credits ?? []),
    held: new Map(
      (held ?? []).map(({ ref, state, problem, ...of }) => {
        const amount = of.amount === null ? null : attosOf(of.amount)
        const worth = of.value === null ? null : exactOf(of.value)
        return [ref, { state, problem, amount, value: worth }]
      }),
    ),
  }
}

/** The most by which what was refunded, at any refund so far, was above what was credited until then. */
function uncoveredBy(
  reversals: NonNullable<Payments['reversals']>,
  credits: NonNullable<Payments['credits']>,
): Attos {
  const until = (entries: readonly { amount: string; at: number }[], moment: number): bigint =>
    entries.reduce((sum, { amount, at }) => (at <= moment ? sum + attosOf(amount) : sum), 0n)
  const excesses = reversals.map(({ at }) => until(reversals, at) - until(credits, at))
  return attos(excesses.reduce((most, excess) => (excess > most ? excess : most), 0n))
}

const READ = sql(
  'deposits.standing',
  `select ${SNAPSHOT_COLUMNS} from deposits.deposit d where d.id = $1`,
)
export async function readSnapshot(
  db: Queryable,
  depositId: string,
): Promise<DepositSnapshot | null> {
  const [row] = await db.query<SnapshotRow>(READ, [depositId])
  return row === undefined ? null : snapshotOf(row)
}
