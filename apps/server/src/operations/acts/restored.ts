// What a restore has left: orders that their markets have and whose trades are gone. Merchants ask for them
// again; what none has asked for after a week is our loss, which two administrators book.
import { createHash } from 'node:crypto'
import type { Actor } from '#audit'
import { recordAct } from '#audit'
import { closeLostOrders, findRestore, listUnadopted, type UnadoptedOrder } from '#buying'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type Cents, cents, formatCents, sumCents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { post } from '#ledger'
import { type CaseFile, listUnmatchedPurchases, resolveUnmatchedPurchases } from '#reconciliation'
import { type ActDeps, transactionOf } from './act.ts'

export interface PlannedOrder extends UnadoptedOrder {
  /** The open case about it: its market has it. Null: no statement has listed it, so nothing was charged. */
  readonly caseId: string | null
  /** US cents, what the market charged. */
  readonly cost: Cents
}

export interface RestorePlan {
  /** By tenant, oldest first. */
  readonly orders: readonly PlannedOrder[]
  /** Orders without an item that no restore explains. */
  readonly unnamed: readonly CaseFile[]
}

/** Of all restores. */
export async function planLosses(db: Queryable): Promise<RestorePlan> {
  const cases = await listUnmatchedPurchases(db)
  const orders = costed(await listUnadopted(db, null), cases)
  const named = new Set(orders.map(({ caseId }) => caseId))
  return { orders, unnamed: cases.filter(({ id }) => !named.has(id)) }
}

const customIdOf = ({ details }: CaseFile): string => String(details.customId)

function costed(orders: readonly UnadoptedOrder[], cases: readonly CaseFile[]): PlannedOrder[] {
  const byId = new Map(cases.map((each) => [customIdOf(each), each]))
  return orders.map((order) => {
    const found = byId.get(order.customId)
    const paid = found?.details.paidMills
    const mills = paid === undefined || paid === null ? order.sourcingMills : BigInt(String(paid))
    const cost = found === undefined ? 0n : (mills + HALF_A_CENT) / MILLS_OF_A_CENT
    return { ...order, caseId: found?.id ?? null, cost: cents(cost) }
  })
}

const MILLS_OF_A_CENT = 10n
const HALF_A_CENT = 5n

/** Until then a merchant may ask for its trades again. */
const CLOSE_AFTER_MS = 7 * 24 * 3_600_000

interface Loss {
  /** Those that a market has. */
  readonly orders: number
  readonly amount: Cents
}

export type LossProposal =
  | ({ readonly kind: 'proposed' } & Loss)
  | { readonly kind: 'too_soon'; readonly from: Date }
  | { readonly kind: 'closed' }

/**
 * Names what another administrator is asked to approve; posts nothing. A later proposal takes the place of
 * one that is not approved. Refuses NOT_FOUND.
 */
export const proposeLoss = (
  { db, clock }: ActDeps,
  actor: Actor,
  { restoreId, reason }: { readonly restoreId: string; readonly reason: string },
): Promise<LossProposal> =>
  transactionOf(db, actor, async (tx): Promise<LossProposal> => {
    const at = clock.now()
    const restore = (await findRestore(tx, restoreId)) ?? refuse('NOT_FOUND')
    const from = new Date(restore.restoredAt.getTime() + CLOSE_AFTER_MS)
    if (at < from) return { kind: 'too_soon', from }
    const loss = lossOf(
      costed(await listUnadopted(tx, restoreId), await listUnmatchedPurchases(tx)),
    )
    const values = [restoreId, loss.orders, loss.amount, reason, actor.id, at]
    if ((await tx.query(PROPOSE, values)).length === 0) return { kind: 'closed' }
    const subject = { type: 'restore', id: restoreId }
    const details = { ...detailsOf(loss), reason }
    await recordAct(tx, { actor, act: 'restore.propose_loss', subject, details, at })
    return { kind: 'proposed', ...loss }
  })

const PROPOSE = sql(
  'operations.propose_restore_loss',
  `insert into operations.restore_loss as l (restore_id, order_count, amount, reason, proposed_by, proposed_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (restore_id) do update set order_count = excluded.order_count, amount = excluded.amount,
     reason = excluded.reason, proposed_by = excluded.proposed_by, proposed_at = excluded.proposed_at
     where l.approved_at is null
   returning restore_id`,
)

const lossOf = (orders: readonly PlannedOrder[]): Loss => ({
  orders: orders.filter(({ caseId }) => caseId !== null).length,
  amount: sumCents(orders.map(({ cost }) => cost)),
})

const detailsOf = ({ orders, amount }: Loss) => ({ orders, amount: formatCents(amount) })

export type LossApproval =
  | ({ readonly kind: 'approved'; readonly journalId: string | null } & Loss)
  /** Buys have adopted orders, or a statement has listed others, since it was proposed. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'closed' }

class Changed extends Error {}

/**
 * Books what was proposed from the loss account to what we pay suppliers from; the cases are resolved, and no
 * buy adopts the orders any more, in one commit. Refuses NOT_FOUND without a proposal, and FORBIDDEN to the
 * administrator who proposed it.
 */
export const approveLoss = (
  { db, clock }: ActDeps,
  actor: Actor,
  restoreId: string,
): Promise<LossApproval> =>
  transactionOf(db, actor, async (tx): Promise<LossApproval> => {
    const at = clock.now()
    const [proposed] = await tx.query<ProposedRow>(LOCK, [restoreId])
    if (proposed === undefined) return refuse('NOT_FOUND')
    if (proposed.isApproved) return { kind: 'closed' }
    if (proposed.proposedBy === actor.id) return refuse('FORBIDDEN')
    const unadopted = await listUnadopted(tx, restoreId)
    const orders = costed(unadopted, await listUnmatchedPurchases(tx))
    const loss = lossOf(orders)
    const closed = await closeLostOrders(tx, restoreId, at)
    const isSame = loss.orders === proposed.orders && loss.amount === proposed.amount
    if (!isSame || closed.length !== unadopted.length) throw new Changed()
    const { reason } = proposed
    const journalId = loss.amount === 0n ? null : await postLoss(tx, restoreId, loss, at)
    await resolveUnmatchedPurchases(tx, { customIds: closed }, { by: actor.id, reason, at })
    await tx.query(APPROVE, [restoreId, actor.id, at, journalId])
    const subject = { type: 'restore', id: restoreId }
    const details = { ...detailsOf(loss), reason, proposedBy: proposed.proposedBy, journalId }
    await recordAct(tx, { actor, act: 'restore.approve_loss', subject, details, at })
    return { kind: 'approved', ...loss, journalId }
  }).catch((error: unknown) => {
    if (error instanceof Changed) return { kind: 'changed' }
    throw error
  })

interface ProposedRow {
  readonly orders: number
  readonly amount: bigint
  readonly reason: string
  readonly proposedBy: string
  readonly isApproved: boolean
}
const LOCK = sql(
  'operations.lock_restore_loss',
  `select order_count orders, amount, reason, proposed_by "proposedBy", approved_at is not null "isApproved"
   from operations.restore_loss where restore_id = $1 for update`,
)
const APPROVE = sql(
  'operations.approve_restore_loss',
  `update operations.restore_loss set approved_by = $2, approved_at = $3, journal_id = $4 where restore_id = $1`,
)

async function postLoss(tx: Tx, restoreId: string, { amount }: Loss, at: Date): Promise<string> {
  const legs = [
    {
      from: { house: 'lost_orders' },
      to: { house: 'supplier_prefund' },
      ...{ currency: 'USD' as const, amount },
    },
  ]
  const { journalId } = await post(tx, {
    ...{ kind: 'lost_orders', refId: restoreId, scopeId: restoreId, at, legs },
    idempotencyKey: `lost-orders:${restoreId}`,
    requestHash: createHash('sha256').update(String(amount)).digest(),
    externalRef: null,
  })
  return journalId
}
