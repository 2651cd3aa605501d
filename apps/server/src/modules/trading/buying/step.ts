// Taking a step: the pure decision of trade.ts put into the database by one function call.
import type { Db, Tx } from '#infra/database/db'
import { createLines } from '#infra/limits/lines'
import { beginFor, traced } from '#infra/tracing/tracing'
import { penaltyOf, type Status } from '#trades'
import type { Step, WorkItem } from './item.ts'
import { moveItem } from './store/orders.ts'

export interface StepTime {
  readonly at: Date
  /** When a worker looks at the item next. */
  readonly dueAt: Date
  readonly holdMs: number
}

const inLine = createLines()

/**
 * A transaction that moves items of one trade. Those of one trade would wait for its row, each with a
 * connection: here they wait without one, so that a trade of many items leaves the connections to others.
 */
export const transactionOf = <T>(
  db: Db,
  { tradeId }: Pick<WorkItem, 'tradeId'>,
  act: (tx: Tx) => Promise<T>,
): Promise<T> => inLine(tradeId, () => db.transaction(act))

/**
 * Moves the item by one step from where `item` stands. False when another worker has moved it. With the
 * request that bought it, the step is shown in its trace.
 */
export async function applyStep(
  tx: Tx,
  item: Pick<WorkItem, 'id' | 'status' | 'price'> & Partial<Pick<WorkItem, 'requestId'>>,
  step: Partial<Step> & { readonly to: Status },
  { at, dueAt, holdMs }: StepTime,
): Promise<boolean> {
  const { to } = step
  const revertedBy = step.revertedBy ?? null
  const taken = {
    from: step.from ?? item.status,
    to,
    offerId: step.offerId ?? null,
    failure: step.failure ?? null,
    detail: step.detail ?? null,
    revertedBy,
    penalty: penaltyOf({ to, revertedBy }, item.price),
  }
  const times = { at, dueAt, holdEndsAt: to === 'hold' ? new Date(at.getTime() + holdMs) : null }
  const span = item.requestId === undefined ? null : beginFor(item.requestId, 'step of item')
  if (span === null) return moveItem(tx, item.id, taken, times)
  span.set('tradepost.item_id', item.id)
  span.set('tradepost.status', to)
  return traced(span, () => moveItem(tx, item.id, taken, times), undefined)
}
