// SQL of payments that are held back: settled at their provider, and credited only after an operator has
// released them.
import { columns, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Attos } from '#kernel/decimal'
import { formatDecimal } from '#kernel/decimal'
import type { Cents } from '#kernel/money'
import { centsRoundedDown, type ExactUsd } from '../amounts.ts'
import type { ProviderName } from '../deposit.ts'
import { exactOf, exactText } from '../exact.ts'
import { attosOf } from './deposits.ts'

export type HeldState = 'held' | 'released' | 'refused'

/** What a payment is held back for, as it was when it was seen. */
export interface HeldBack {
  readonly settlementRef: string
  /** Null: what the provider reports is no amount. */
  readonly amount: Attos | null
  /** Null: it cannot be valued, so it can only be refused. */
  readonly value: ExactUsd | null
  readonly problem: string
}

export interface HeldPayment extends HeldBack {
  readonly id: string
  /** `value` rounded down to US cents. */
  readonly usdCents: Cents | null
  readonly depositId: string
  readonly provider: ProviderName
  readonly state: HeldState
  readonly heldAt: Date
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly decisionReason: string | null
}

const HELD_PAYMENT = columns<Omit<HeldPayment, 'usdCents'>>('h.', {
  id: text,
  depositId: text,
  provider: text,
  settlementRef: text,
  amount: ['h.amount_token', attosOf],
  value: ['h.value_usd', exactOf],
  problem: text,
  state: text,
  heldAt: time,
  decidedBy: text,
  decidedAt: time,
  decisionReason: text,
}).to(
  (payment): HeldPayment => ({
    ...payment,
    usdCents: payment.value === null ? null : centsRoundedDown(payment.value),
  }),
)

const HOLD = sql(
  'deposits.hold_payment',
  'select deposits.hold_payment($1, $2, $3, $4, $5, $6, $7)',
)
/** Known and unchanged: nothing happens. A released one that now reads otherwise is held again. */
export async function holdPayment(
  db: Queryable,
  depositId: string,
  provider: ProviderName,
  { settlementRef, amount, value, problem }: HeldBack,
  at: Date,
): Promise<void> {
  await db.query(HOLD, [
    depositId,
    provider,
    settlementRef,
    amount === null ? null : formatDecimal(amount),
    value === null ? null : exactText(value),
    problem,
    at,
  ])
}

const OF_DEPOSIT = sql(
  'deposits.held_of_deposit',
  `select ${HELD_PAYMENT.list} from deposits.held_payment h where h.deposit_id = $1 order by h.id limit 1000`,
)
/** Oldest first, decided ones too. */
export async function listHeldOf(db: Queryable, depositId: string): Promise<HeldPayment[]> {
  return HELD_PAYMENT.all(db, OF_DEPOSIT, [depositId])
}

const WAITING = sql(
  'deposits.held_waiting',
  `select ${HELD_PAYMENT.list} from deposits.held_payment h where h.state = 'held' order by h.id limit $1`,
)
/** What waits for an operator, oldest first. */
export async function listHeldPayments(db: Queryable, limit: number): Promise<HeldPayment[]> {
  return HELD_PAYMENT.all(db, WAITING, [limit])
}

const HELD_MARK = sql(
  'deposits.held_mark',
  `select concat_ws('/', count(*), max(id::text)) mark from (
     select id from deposits.held_payment where state = 'held' order by id desc limit 1000) held`,
)
/** Another text whenever one more payment waits for an operator, or one fewer. */
export async function markOfHeldPayments(db: Queryable): Promise<string> {
  const [row] = await db.query<{ mark: string }>(HELD_MARK)
  return row?.mark ?? ''
}

const FIND = sql(
  'deposits.find_held',
  `select ${HELD_PAYMENT.list} from deposits.held_payment h where h.id = $1`,
)
export async function findHeldPayment(db: Queryable, id: string): Promise<HeldPayment | null> {
  return HELD_PAYMENT.first(db, FIND, [id])
}

const DECIDE = sql(
  'deposits.decide_held',
  'select deposits.decide_held($1, $2, $3, $4, $5) decided',
)
/**
 * Records what an operator decided and makes the order due: a released payment is credited by the next look.
 * False when it does not wait, or is to be released and has no value.
 */
export async function decideHeld(
  tx: Tx,
  id: string,
  decision: {
    readonly state: Exclude<HeldState, 'held'>
    readonly by: string
    readonly reason: string
    readonly at: Date
  },
): Promise<boolean> {
  const { state, by, reason, at } = decision
  const [row] = await tx.query<{ decided: boolean }>(DECIDE, [id, state, by, reason, at])
  return row?.decided ?? false
}
