// Adjustments by two administrators: one proposes, another one sees what was proposed and approves it.
import type { Actor } from '#audit'
import { recordAct } from '#audit'
import { keepAccount } from '#identity'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type Cents, type Currency, cents, formatCents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import type { WalletKind } from '#ledger'
import { type ActDeps, transactionOf } from './act.ts'
import { type Adjustment, planAdjustment, postAdjustment } from './money.ts'

export type AdjustmentState = 'proposed' | 'approved' | 'withdrawn' | 'expired'

export interface ProposedAdjustment extends Adjustment {
  readonly id: string
  readonly currency: Currency
  /** What the wallet held when it was proposed. */
  readonly balanceBefore: Cents
  readonly proposedBy: string
  readonly proposedAt: Date
  readonly state: AdjustmentState
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly decision: string | null
  readonly journalId: string | null
}

/** A proposal that has no second administrator by then is none any more. */
const APPROVE_WITHIN_MS = 72 * 3_600_000

interface Row {
  id: string
  account_id: string
  wallet: WalletKind
  side: Adjustment['side']
  amount: bigint
  currency: Currency
  balance_before: bigint
  reason: string
  reference: string
  proposed_by: string
  proposed_at: Date
  state: 'proposed' | 'approved' | 'withdrawn'
  decided_by: string | null
  decided_at: Date | null
  decision: string | null
  journal_id: string | null
}

const COLUMNS = `id, account_id, wallet, side, amount, currency, balance_before, reason, reference, proposed_by,
  proposed_at, state, decided_by, decided_at, decision, journal_id`

const adjustmentOf = (row: Row, now: Date): ProposedAdjustment => ({
  id: row.id,
  accountId: row.account_id,
  wallet: row.wallet,
  side: row.side,
  amount: cents(row.amount),
  currency: row.currency,
  balanceBefore: cents(row.balance_before),
  reason: row.reason,
  reference: row.reference,
  proposedBy: row.proposed_by,
  proposedAt: row.proposed_at,
  state:
    row.state === 'proposed' && now.getTime() - row.proposed_at.getTime() > APPROVE_WITHIN_MS
      ? 'expired'
      : row.state,
  decidedBy: row.decided_by,
  decidedAt: row.decided_at,
  decision: row.decision,
  journalId: row.journal_id,
})

const INSERT = sql(
  'operations.propose_adjustment',
  `insert into operations.adjustment (id, account_id, wallet, side, amount, currency, balance_before, reason,
     reference, proposed_by, proposed_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (id) do nothing returning ${COLUMNS}`,
)
const FIND = sql(
  'operations.find_adjustment',
  `select ${COLUMNS} from operations.adjustment where id = $1`,
)
const LOCK = sql(
  'operations.lock_adjustment',
  `select ${COLUMNS} from operations.adjustment where id = $1 for update`,
)
const DECIDE = sql(
  'operations.decide_adjustment',
  `update operations.adjustment set state = $2, decided_by = $3, decided_at = $4, decision = $5, journal_id = $6
   where id = $1 and state = 'proposed' returning ${COLUMNS}`,
)
const LIST = sql(
  'operations.list_adjustments',
  `select ${COLUMNS} from operations.adjustment
   where ($1::text is null or state = $1) and ($2::uuid is null or id < $2) order by id desc limit $3`,
)

/** Newest first. */
export async function listAdjustments(
  { db, clock }: ActDeps,
  query: { readonly state: string | null; readonly cursor: string | null; readonly limit: number },
): Promise<ProposedAdjustment[]> {
  const rows = await db.query<Row>(LIST, [query.state, query.cursor, query.limit])
  return rows.map((row) => adjustmentOf(row, clock.now()))
}

/** Refuses NOT_FOUND. */
export async function readAdjustment(
  { db, clock }: ActDeps,
  id: string,
): Promise<ProposedAdjustment> {
  return adjustmentOf(await rowOf(db, FIND, id), clock.now())
}

const rowOf = async (db: Queryable, statement: typeof FIND, id: string): Promise<Row> => {
  const [row] = await db.query<Row>(statement, [id])
  return row ?? refuse('NOT_FOUND')
}

/**
 * Freezes what a second administrator is asked to approve; posts nothing. The same id with the same order
 * returns the first proposal, with another order it is refused with IDEMPOTENCY_CONFLICT. Refuses
 * USER_NOT_FOUND, and INSUFFICIENT_BALANCE for a debit of more than there is now.
 */
export async function proposeAdjustment(
  { db, clock }: ActDeps,
  actor: Actor,
  { id, ...order }: Adjustment & { readonly id: string },
): Promise<ProposedAdjustment> {
  return transactionOf(db, actor, async (tx) => {
    const at = clock.now()
    await keepAccount(tx, order.accountId)
    const { currency, balanceBefore, balanceAfter } = await planAdjustment(tx, order)
    const { accountId, wallet, side, amount, reason, reference } = order
    const [row] = await tx.query<Row>(INSERT, [
      ...[id, accountId, wallet, side, amount, currency, balanceBefore],
      ...[reason, reference, actor.id, at],
    ])
    if (row === undefined) return firstProposal(tx, id, { order, actor, at })
    if (balanceAfter < 0n) {
      refuse('INSUFFICIENT_BALANCE', { requiredCents: amount, availableCents: balanceBefore })
    }
    const proposed = adjustmentOf(row, at)
    const subject = { type: 'adjustment', id }
    const details = detailsOf(proposed)
    await recordAct(tx, { actor, act: 'adjustment.propose', subject, details, accountId, at })
    return proposed
  })
}

/** Of both acts, for the audit log. */
function detailsOf({ wallet, side, amount, currency, reason, reference }: ProposedAdjustment) {
  return { wallet, side, amount: formatCents(amount), currency, reason, reference }
}

async function firstProposal(
  tx: Tx,
  id: string,
  { order, actor, at }: { readonly order: Adjustment; readonly actor: Actor; readonly at: Date },
): Promise<ProposedAdjustment> {
  const first = adjustmentOf(await rowOf(tx, FIND, id), at)
  const names = ['accountId', 'wallet', 'side', 'amount', 'reason', 'reference'] as const
  const isSame = names.every((name) => first[name] === order[name])
  return isSame && first.proposedBy === actor.id ? first : refuse('IDEMPOTENCY_CONFLICT')
}

/**
 * Posts it, in the commit that approves it. One that is decided already is returned as it is, and nothing is
 * posted. Refuses NOT_FOUND, FORBIDDEN to the administrator who proposed it, and what a posting refuses.
 */
export async function approveAdjustment(
  { db, clock }: ActDeps,
  actor: Actor,
  id: string,
): Promise<ProposedAdjustment> {
  return transactionOf(db, actor, async (tx) => {
    const at = clock.now()
    const proposed = adjustmentOf(await rowOf(tx, LOCK, id), at)
    if (proposed.proposedBy === actor.id) refuse('FORBIDDEN')
    if (proposed.state !== 'proposed') return proposed
    // The reference of the form may come back with another proposal; a proposal is posted once.
    const journalId = await postAdjustment(tx, proposed, at)
    const [row] = await tx.query<Row>(DECIDE, [id, 'approved', actor.id, at, null, journalId])
    const { accountId, proposedBy } = proposed
    const details = { ...detailsOf(proposed), proposedBy, journalId }
    const subject = { type: 'adjustment', id }
    await recordAct(tx, { actor, act: 'adjustment.approve', subject, details, accountId, at })
    return row === undefined ? refuse('NOT_FOUND') : adjustmentOf(row, at)
  })
}

/**
 * By the administrator who proposed it, or by another one. One that is decided already is returned as it is.
 */
export async function withdrawAdjustment(
  { db, clock }: ActDeps,
  actor: Actor,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<ProposedAdjustment> {
  return transactionOf(db, actor, async (tx) => {
    const at = clock.now()
    const proposed = adjustmentOf(await rowOf(tx, LOCK, id), at)
    if (proposed.state === 'approved' || proposed.state === 'withdrawn') return proposed
    const [row] = await tx.query<Row>(DECIDE, [id, 'withdrawn', actor.id, at, reason, null])
    const subject = { type: 'adjustment', id }
    const { accountId } = proposed
    await recordAct(tx, {
      ...{ actor, act: 'adjustment.withdraw', subject, accountId, at },
      details: { reason },
    })
    return row === undefined ? refuse('NOT_FOUND') : adjustmentOf(row, at)
  })
}
