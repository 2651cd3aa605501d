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
  onClosed(fields: {
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

/** `alone`: it was open before; null: it was closed for this history and these accounts already. */
type Closed = 'alone' | 'further' | null

/** What waits is held back, whichever account may have bought it. */
export async function closeGate(
  { db, clock, skipAddresses, onClosed }: ClosingDeps,
  { id: market, settleMs }: Gated,
  { history, reason, accounts }: Closing & { readonly history: string },
): Promise<Closed> {
  const { closed, items } = await db.transaction(async (tx) => {
    const before = await lockGate(tx, market)
    const at = clock.now()
    if (before?.closedAt != null && before.history === history) {
      const isFurther = await closeFurther(tx, before, { accounts, at })
      return { closed: isFurther ? 'further' : null, items: before.itemIds.length } as const
    }
    const followFrom = new Date(at.getTime() + settleMs + FOLLOW_AFTER_SETTLE_MS)
    const held = await holdBack(tx, { market, at, followFrom })
    if (market === PAYMENTS) await skipAddresses(tx)
    const itemIds = [...(before?.itemIds ?? []), ...held]
    const openAccounts = await listUnharmed(tx, { market, before, accounts })
    await saveGate(tx, { market, history, closedAt: at, itemIds, openAccounts })
    return {
      closed: before?.closedAt == null ? 'alone' : 'further',
      items: itemIds.length,
    } as const
  })
  if (closed !== null) onClosed({ market, reason, items })
  return closed
}

/**
 * What waited is held back since the closing. Statements that were read before this moment open nothing
 * more. False: it is closed for these accounts as it is.
 */
async function closeFurther(
  tx: Tx,
  gate: Gate,
  { accounts, at }: Pick<Closing, 'accounts'> & { readonly at: Date },
): Promise<boolean> {
  const openAccounts = withoutHarmed(gate.openAccounts, accounts)
  if (openAccounts.length === gate.openAccounts.length) return false
  await saveGate(tx, { ...gate, closedAt: at, openAccounts })
  return true
}

const withoutHarmed = (open: readonly string[], accounts: Closing['accounts']): string[] =>
  open.filter((account) => accounts !== null && !accounts.includes(account))

/**
 * Our accounts at the market but these, and but those whose statements an earlier closing still waits for.
 */
async function listUnharmed(
  tx: Tx,
  {
    market,
    before,
    accounts,
  }: Pick<Closing, 'accounts'> & { readonly market: GateName; readonly before: Gate | null },
): Promise<string[]> {
  if (before !== null && before.closedAt !== null) {
    return withoutHarmed(before.openAccounts, accounts)
  }
  const known = (await listKeys(tx)).filter((one) => one.market === market)
  return withoutHarmed(
    known.map(({ account }) => account),
    accounts,
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
