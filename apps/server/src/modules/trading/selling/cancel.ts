// Canceling: only what certainly no offer carries. An offer that is out is the user's to decline.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { isTerminal, type Status } from '#trades'
import { type LockedItem, lockItems } from './store/cancel.ts'
import { moveItems, stopWaiting } from './store/offers.ts'

export interface CanceledItem {
  readonly itemId: string
  readonly canceled: boolean
  /** Why not; null when it was. */
  readonly reason: 'TRADE_CANCEL_TOO_SOON' | 'TRADE_NOT_CANCELLABLE' | null
  /** Its state before. */
  readonly was: Status
}

/** Cancels the items of a sell, or one of them, and returns the outcome of each. */
export async function cancelSell(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { tradeId, itemId }: { readonly tradeId: string; readonly itemId: string | null },
): Promise<CanceledItem[]> {
  return db.transaction(async (tx) => {
    const at = clock.now()
    const items = (await lockItems(tx, tradeId)).filter(
      (item) => itemId === null || item.id === itemId.toLowerCase(),
    )
    for (const from of ['initiated', 'pending'] as const) {
      const itemIds = items
        .filter((item) => item.status === from && refusalOf(item) === null)
        .map((item) => item.id)
      if (itemIds.length > 0) await moveItems(tx, { tradeId, itemIds, from, to: 'canceled', at })
    }
    await stopWaiting(tx, tradeId)
    return items.map((item) => {
      const reason = refusalOf(item)
      return { itemId: item.id, canceled: reason === null, reason, was: item.status }
    })
  })
}

function refusalOf(item: LockedItem): CanceledItem['reason'] {
  if (isTerminal(item.status) || item.status === 'hold' || item.status === 'active') {
    return 'TRADE_NOT_CANCELLABLE'
  }
  // The offer may be on its way this very moment; in some seconds it is out, or certainly is not.
  return item.isCarried ? 'TRADE_CANCEL_TOO_SOON' : null
}
