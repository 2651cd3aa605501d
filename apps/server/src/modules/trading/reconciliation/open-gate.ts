// Opening a gate, with what waited behind it, and what came of an attempt to do so.
import { MAIN, releasePlacements } from '#buying'
import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Intent } from '#infra/process/intent-files'
import { releaseOffers } from '#selling'
import { customIdOf, orderOf } from './intent-kinds.ts'
import {
  BOTS,
  findGate,
  type Gate,
  type GateName,
  lockGate,
  OPEN,
  PAYMENTS,
  saveGate,
} from './store/gates.ts'

export type Opening =
  | { readonly kind: 'open' }
  /** The statement may not show yet what was bought just before the closing. */
  | { readonly kind: 'settling' }
  | { readonly kind: 'unavailable'; readonly detail: string }
  | {
      readonly kind: 'opened'
      /** Items that the statement lists: their orders are followed. */
      readonly followed: number
      /** Items that it does not list: they wait to be placed. */
      readonly resumed: number
    }

/** Unless the gate was closed again, or opened by an operator, while what waits was compared. */
export const openUnchanged = (
  db: Db,
  gate: Gate,
  release: (tx: Tx) => Promise<{ readonly followed: number; readonly resumed: number }>,
): Promise<Opening> =>
  db.transaction(async (tx) => {
    const locked = await lockGate(tx, gate.market)
    if (locked?.closedAt?.getTime() !== gate.closedAt?.getTime()) return { kind: 'settling' }
    const released = await release(tx)
    await saveGate(tx, { ...gate, ...OPEN })
    return { kind: 'opened', ...released }
  })

/**
 * Opens a gate that was closed for silent processes alone, of which `lost` is all that the history lacks.
 * Items of lost orders are looked up by their ids, as after any lost answer; the others wait to be placed
 * again. Lost offers and payments are left to the lists of the bots and to the chains.
 */
export async function openWhatIsKnown(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  market: GateName,
  lost: readonly Intent[],
): Promise<Opening> {
  const gate = await findGate(db, market)
  if (gate === null || gate.closedAt === null) return { kind: 'open' }
  const at = clock.now()
  if (market === BOTS || market === PAYMENTS) {
    if (lost.length > 0) return { kind: 'settling' }
    return openUnchanged(db, gate, async (tx) =>
      market === BOTS
        ? releaseOffers(tx, { offers: [], at, expiresAt: at })
        : { followed: 0, resumed: 0 },
    )
  }
  const listed = lost.map((intent) => {
    const order = orderOf(intent)
    return {
      ...{ itemId: order.itemId, customId: customIdOf(order) },
      account: String(intent.account ?? MAIN),
    }
  })
  const ids = new Set(listed.map(({ itemId }) => itemId))
  const unlisted = gate.itemIds.filter((itemId) => !ids.has(itemId))
  return openUnchanged(db, gate, (tx) => releasePlacements(tx, { market, listed, unlisted, at }))
}
