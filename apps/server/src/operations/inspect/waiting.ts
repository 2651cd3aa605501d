// How much waits for an administrator, for the navigation.
import { listHeldPayments } from '#deposits'
import { listHeld } from '#payouts'
import { countOpenCases } from '#reconciliation'
import type { ActDeps } from '../acts/act.ts'
import { listAdjustments } from '../acts/adjustments.ts'

export interface WaitingWork {
  readonly cases: number
  readonly heldPayments: number
  readonly withdrawals: number
  readonly adjustments: number
}

/** More of one kind are not counted. */
const MOST = 100

export async function countWaiting(deps: ActDeps): Promise<WaitingWork> {
  const { db } = deps
  const [cases, payments, withdrawals, adjustments] = await Promise.all([
    countOpenCases(db),
    listHeldPayments(db, MOST),
    listHeld(db, MOST),
    listAdjustments(deps, { state: 'proposed', cursor: null, limit: MOST }),
  ])
  return {
    cases: Math.min(
      cases.reduce((sum, { count }) => sum + count, 0),
      MOST,
    ),
    heldPayments: payments.length,
    withdrawals: withdrawals.length,
    // An old proposal has expired.
    adjustments: adjustments.filter(({ state }) => state === 'proposed').length,
  }
}
