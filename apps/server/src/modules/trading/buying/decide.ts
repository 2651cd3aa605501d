// Deciding: a person says how a contested delivery ends. Neither a clock nor a report does.
import type { Tx } from '#infra/database/db'
import type { Step } from './item.ts'
import { applyStep } from './step.ts'
import { findUndecided, noteDecision } from './store/contested.ts'

/** Who took the item back; or it was delivered after all. */
export const OUTCOMES = ['user', 'supplier', 'delivered'] as const
export type Outcome = (typeof OUTCOMES)[number]

const stepOf = (outcome: Outcome): Pick<Step, 'to' | 'revertedBy'> =>
  outcome === 'delivered'
    ? { to: 'completed', revertedBy: null }
    : { to: 'reverted', revertedBy: outcome }

/**
 * The item's last step, with its money and its event, in the caller's commit. False, and nothing is changed
 * that the caller's rollback does not undo, when there is nothing to decide or the item is not in its hold.
 */
export async function decideContested(
  tx: Tx,
  {
    itemId,
    outcome,
    at,
  }: { readonly itemId: string; readonly outcome: Outcome; readonly at: Date },
): Promise<boolean> {
  const item = await findUndecided(tx, itemId)
  if (item?.status !== 'hold' || !(await noteDecision(tx, item, at))) return false
  return applyStep(tx, item, stepOf(outcome), { at, dueAt: at, holdMs: 0 })
}
