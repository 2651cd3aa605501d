// The call that cancels one placed order, and what its answer makes of the item.

import type { Db } from '#infra/database/db'
import { createSendGuard, type SendGuard } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import type { OnCase } from '#trades'
import type { Market } from './ports.ts'
import { applyStep } from './step.ts'
import { type CancelableItem, findItemStatus } from './store/cancel.ts'

export interface CancelOrderDeps {
  readonly db: Db
  readonly clock: Clock
  readonly onCase: OnCase
}

export type CancelVerdict =
  | 'canceled'
  /** Certain: the supplier refuses, and the order goes on. */
  | 'refused'
  /** It may have been canceled. The followers learn it from the order; a cancel may also be repeated. */
  | 'unknown'
  /** The call never left. */
  | 'not-sent'
  | 'TRADE_CANCEL_TOO_SOON'
  | 'TRADE_NOT_CANCELLABLE'

/** Longer than a market's deadline for a cancel. */
export const CANCEL_LEASE_MS = 30_000

/** Waits for a turn at the market until `giveUpAt`, in milliseconds of the clock. */
export async function cancelOrder(
  deps: CancelOrderDeps,
  market: Market,
  item: CancelableItem,
  { requestId, giveUpAt }: { readonly requestId: string; readonly giveUpAt: number },
): Promise<CancelVerdict> {
  const patienceMs = giveUpAt - deps.clock.now().getTime()
  if (item.order === null || patienceMs <= 0) return 'not-sent'
  const guard = guardOf(deps, item, giveUpAt)
  const answer = await market.cancel({ ...item.order, patienceMs }, { requestId, guard })
  switch (answer.kind) {
    case 'canceled':
      return endCanceled(deps, item)
    case 'refused':
      if (answer.because === 'too-soon') return 'TRADE_CANCEL_TOO_SOON'
      return answer.because === 'offer-out' ? 'TRADE_NOT_CANCELLABLE' : 'refused'
    case 'unknown':
    case 'not-sent':
      return answer.kind
  }
}

const guardOf = (
  { db, clock }: CancelOrderDeps,
  { id }: CancelableItem,
  giveUpAt: number,
): SendGuard =>
  createSendGuard({
    db,
    clock,
    leaseMs: CANCEL_LEASE_MS,
    renew: async () =>
      clock.now().getTime() < giveUpAt && (await findItemStatus(db, id)) === 'pending',
  })

/** Followers look at the item meanwhile and may have moved it a step, or to this very end. */
async function endCanceled(
  { db, clock, onCase }: CancelOrderDeps,
  { id, price, market, order }: CancelableItem,
): Promise<'canceled' | 'refused'> {
  for (const from of ['pending', 'active'] as const) {
    const at = clock.now()
    const isCanceled = await db.transaction((tx) =>
      applyStep(tx, { id, price, status: from }, { to: 'canceled' }, { at, dueAt: at, holdMs: 0 }),
    )
    if (isCanceled) return 'canceled'
  }
  const status = (await findItemStatus(db, id)) ?? null
  if (status === 'canceled') return 'canceled'
  const orderId = order?.orderId ?? null
  await onCase('late_contradiction', { itemId: id, market, orderId, status, said: 'canceled' })
  return 'refused'
}
