// After a failover that lost nothing the gates stay open. Each process that sends notes outside the database
// what it is about to send. In a new history it looks for that, closes the gates of which something was lost,
// and then commits that it has looked. A gate stays open once every process that lived before has done so. One
// that is silent for ten seconds may have sent what is lost: the gates that it had sent for are closed.

import type { Db } from '#infra/database/db'
import type { Intents } from '#infra/database/intents'
import { startElapsed } from '#infra/database/leases'
import { type ClosingDeps, type ClosingReason, closeGate, type Gated } from './close-gate.ts'
import { countLost, type LostFinders } from './intent-kinds.ts'
import { type GateName, lockGate, saveGate } from './store/gates.ts'

export interface KeepingDeps extends ClosingDeps {
  readonly intents: Intents
  readonly lost: LostFinders
  onKeptOpen?(market: GateName): void
}

/** Looks for what this process has sent, once in each history. Resolves when others can read what it found. */
export function createConfirmation(deps: KeepingDeps): (history: string) => Promise<void> {
  const { intents, markets } = deps
  const confirm = async (history: string): Promise<void> => {
    for (const gated of markets) {
      const reason = await findReason(deps, gated, history)
      if (reason !== null) await closeGate(deps, gated, { history, reason })
    }
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

/** Why the gate must be closed; null when the history has all that this process sent. */
async function findReason(
  { db, intents, lost }: KeepingDeps,
  { id, settleMs }: Gated,
  history: string,
): Promise<ClosingReason | null> {
  if (!intents.isSameCluster(history)) return 'another cluster'
  const recent = intents.listRecent(settleMs)
  if (recent === null) return 'intents damaged'
  const own = recent.filter(({ gate }) => gate === id)
  return (await countLost(db, own, lost)) > 0 ? 'intents lost' : null
}

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
    const silent = await intents.silentGates(history)
    if (silent.every((gates) => gates?.has(gated.id) === false)) {
      if (await keepOpen(db, gated.id, history)) deps.onKeptOpen?.(gated.id)
    } else if (awaited.elapsedMs() >= SILENT_MS) {
      await closeGate(deps, gated, { history, reason: 'process silent' })
    }
  }
}

/** False when another process was quicker. One that was closed before stays closed until it is compared. */
const keepOpen = (db: Db, market: GateName, history: string): Promise<boolean> =>
  db.transaction(async (tx) => {
    const gate = await lockGate(tx, market)
    if (gate === null || gate.history === history) return false
    await saveGate(tx, { ...gate, history })
    return gate.closedAt === null
  })
