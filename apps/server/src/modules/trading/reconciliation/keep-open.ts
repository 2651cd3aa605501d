// After a failover that lost nothing the gates stay open. Each process that sends notes outside the database
// what it is about to send. In a new history it looks for that, closes the gates of which something was
// lost, and then commits that it has looked. A gate stays open once every process that lived before has done
// so. One that is silent for ten seconds may have sent what is lost: the gates that it had sent for close.
import { MAIN } from '#buying'
import type { Db } from '#infra/database/db'
import type { Intents, SilentProcess } from '#infra/database/intents'
import { startElapsed } from '#infra/database/leases'
import type { Intent } from '#infra/process/intent-files'
import { type Closing, type ClosingDeps, closeGate, type Gated } from './close-gate.ts'
import { findLost, type LostFinders } from './intent-kinds.ts'
import { recordLostOrders } from './lost-orders.ts'
import { type Opening, openWhatIsKnown } from './open-gate.ts'
import { type GateName, lockGate, saveGate } from './store/gates.ts'

export interface KeepingDeps extends ClosingDeps {
  readonly intents: Intents
  readonly lost: LostFinders
  /** So many orders were sent, and their trades are gone. */
  onLostOrders?(orders: number): void
  onKeptOpen?(market: GateName): void
  /** At once after it was closed. */
  onOpened?(market: GateName, opening: Extract<Opening, { kind: 'opened' }>): void
}

/** Looks for what this process has sent, once in each history. Resolves when others can read the result. */
export function createConfirmation(deps: KeepingDeps): (history: string) => Promise<void> {
  const { intents, markets } = deps
  const confirm = async (history: string): Promise<void> => {
    const closings: (Closing & { readonly gated: Gated })[] = []
    for (const gated of markets) {
      const closing = await findReason(deps, gated, history)
      if (closing !== null) closings.push({ gated, ...closing })
    }
    if (closings.some(({ reason }) => reason !== 'intents damaged')) {
      await noteLostOrders(deps, history)
    }
    for (const { gated, ...why } of closings) await closeGate(deps, gated, { history, ...why })
    await intents.confirm(history)
  }
  let running: Promise<void> | null = null
  return async (history) => {
    if (intents.confirmed() === history) return
    running ??= confirm(history).finally(() => {
      running = null
    })
    await running
  }
}

/** Before the gates are closed: once that is logged, a merchant's repeated buy finds what it had bought. */
export async function noteLostOrders(deps: KeepingDeps, history: string): Promise<void> {
  const orders = await recordLostOrders(deps, history)
  if (orders > 0) deps.onLostOrders?.(orders)
}

/** Why the gate must be closed; null when the history has all that this process sent. */
async function findReason(
  { db, intents, lost }: KeepingDeps,
  { id, settleMs }: Gated,
  history: string,
): Promise<Closing | null> {
  if (!intents.isSameCluster(history)) return { reason: 'another cluster', accounts: null }
  const recent = intents.listRecent(settleMs)
  if (recent === null) return { reason: 'intents damaged', accounts: null }
  const own = recent.filter(({ gate }) => gate === id)
  const missing = await findLost(db, own, lost)
  return missing.length > 0 ? { reason: 'intents lost', accounts: accountsOf(missing) } : null
}

const accountsOf = (sent: readonly Intent[]): string[] => [
  ...new Set(sent.map(({ account }) => String(account ?? MAIN))),
]

const SILENT_MS = 10_000

/** Keeps a gate open in a new history, or closes it, or leaves it undecided: then nothing is placed yet. */
export function createDecision(
  deps: KeepingDeps,
): (gated: Gated, history: string) => Promise<void> {
  const { db, clock, intents } = deps
  let awaited = { history: '', elapsedMs: (): number => 0 }
  return async (gated, history) => {
    if (awaited.history !== history) {
      awaited = { history, elapsedMs: startElapsed(clock, () => performance.now()) }
    }
    const silent = (await intents.listSilent(history)).filter(
      ({ gates }) => gates === null || gates.has(gated.id),
    )
    if (silent.length === 0) {
      if (await keepOpen(db, gated.id, history)) deps.onKeptOpen?.(gated.id)
    } else if (awaited.elapsedMs() >= SILENT_MS) {
      // Read first: a closing begins every order that waits, and would hide those that are lost.
      const lost = await findLostOf(deps, gated.id, silent)
      if (lost === null || lost.length > 0) await noteLostOrders(deps, history)
      const accounts = lost === null ? null : accountsOf(lost)
      const closed = await closeGate(deps, gated, { history, reason: 'process silent', accounts })
      // What another closing holds back waits for statements: these files say nothing of it.
      if (closed !== 'alone' || lost === null) return
      const opening = await openWhatIsKnown(deps, gated.id, lost)
      if (opening.kind === 'opened') deps.onOpened?.(gated.id, opening)
    }
  }
}

/** What the history lacks of what these processes sent; null when their files do not say it. */
async function findLostOf(
  { db, lost }: KeepingDeps,
  market: GateName,
  silent: readonly SilentProcess[],
): Promise<Intent[] | null> {
  if (silent.some(({ recent }) => recent === null)) return null
  const sent = silent.flatMap(({ recent }) => recent ?? [])
  return findLost(
    db,
    sent.filter(({ gate }) => gate === market),
    lost,
  )
}

/** False when another process was quicker. One that was closed before stays closed until it is compared. */
const keepOpen = (db: Db, market: GateName, history: string): Promise<boolean> =>
  db.transaction(async (tx) => {
    const gate = await lockGate(tx, market)
    if (gate === null || gate.history === history) return false
    await saveGate(tx, { ...gate, history })
    return gate.closedAt === null
  })
