// Closing a gate: what waits behind it may have been sent already, and is held back in the same commit.
import { holdBackPlacements, listKeys } from '#buying'
import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { holdBackOffers } from '#selling'
import { BOTS, type Gate, type GateName, lockGate, PAYMENTS, saveGate } from './store/gates.ts'

export interface ClosingDeps {
  readonly db: Db
  readonly clock: Clock
  /** The gates that this process decides on. */
  readonly markets: readonly Gated[]
  /** In the commit that closes payments: leaves out addresses that were perhaps handed out after the copy. */
  skipAddresses(tx: Tx): Promise<void>
  onClosed(facts: {
    readonly market: GateName
    readonly reason: ClosingReason
    readonly items: number
  }): void
}

export interface Gated {
  readonly id: GateName
  /** How long after the closing a statement may still lack what was bought before it. */
  readonly settleMs: number
}

export type ClosingReason =
  | 'another cluster'
  | 'mark not found'
  | 'intents lost'
  | 'intents damaged'
  | 'process silent'

/** Held back items are followed like any lost answer when no statement could be compared by then. */
const FOLLOW_AFTER_SETTLE_MS = 10 * 60_000

/** Why it is closed, and for which of our accounts at its market something may be lost; null: for all. */
export interface Closing {
  readonly reason: ClosingReason
  readonly accounts: readonly string[] | null
}

/**
 * What waits is held back, whichever account may have bought it. False, and nothing happens, when it is
 * closed for this history and these accounts already.
 */
export async function closeGate(
  { db, clock, skipAddresses, onClosed }: ClosingDeps,
  { id: market, settleMs }: Gated,
  { history, reason, accounts }: Closing & { readonly history: string },
): Promise<boolean> {
  const items = await db.transaction(async (tx) => {
    const before = await lockGate(tx, market)
    if (before?.closedAt != null && before.history === history) {
      return (await closeFurther(tx, before, accounts)) ? before.itemIds.length : null
    }
    const at = clock.now()
    const followFrom = new Date(at.getTime() + settleMs + FOLLOW_AFTER_SETTLE_MS)
    const held = await holdBack(tx, { market, at, followFrom })
    if (market === PAYMENTS) await skipAddresses(tx)
    const itemIds = [...(before?.itemIds ?? []), ...held]
    const openAccounts = await listUnharmed(tx, market, accounts)
    await saveGate(tx, { market, history, closedAt: at, itemIds, openAccounts })
    return itemIds.length
  })
  if (items !== null) onClosed({ market, reason, items })
  return items !== null
}

/** What waited is held back since the closing. False: it is closed for these accounts as it is. */
async function closeFurther(tx: Tx, gate: Gate, accounts: Closing['accounts']): Promise<boolean> {
  const openAccounts = gate.openAccounts.filter(
    (account) => accounts !== null && !accounts.includes(account),
  )
  if (openAccounts.length === gate.openAccounts.length) return false
  await saveGate(tx, { ...gate, openAccounts })
  return true
}

/** Our accounts at the market but these. */
async function listUnharmed(
  tx: Tx,
  market: GateName,
  accounts: Closing['accounts'],
): Promise<string[]> {
  if (accounts === null) return []
  return (await listKeys(tx)).flatMap((one) =>
    one.market === market && !accounts.includes(one.account) ? [one.account] : [],
  )
}

/** The items that wait; of payments none is marked: all of them wait for the gate. */
async function holdBack(
  tx: Tx,
  {
    market,
    at,
    followFrom,
  }: { readonly market: GateName; readonly at: Date; readonly followFrom: Date },
): Promise<readonly string[]> {
  if (market === BOTS) return holdBackOffers(tx)
  return market === PAYMENTS ? [] : holdBackPlacements(tx, { market, at, followFrom })
}
