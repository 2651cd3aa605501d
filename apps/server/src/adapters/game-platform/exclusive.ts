import type { Db } from '#infra/database/db'
import { acquireLease, releaseLease } from '#infra/database/leases'
import { createLines } from '#infra/limits/lines'
import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import { pause } from '../shared/pause.ts'

/** `busy`: the work was not begun, because another caller held the bot for too long. */
export type Turn<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'busy' }

/**
 * One at a time over all processes, by a lease that is extended while the work runs. A process that dies in
 * the middle holds up the others until its lease has run out.
 */
export type RunExclusively = <T>(name: string, work: () => Promise<T>) => Promise<Turn<T>>

const LEASE_MS = 15_000
const LOOK_AGAIN_MS = 100

export function createRunExclusively({
  db,
  clock,
  patienceMs,
}: {
  readonly db: Db
  readonly clock: Clock
  /** How long one waits for a turn. */
  readonly patienceMs: number
}): RunExclusively {
  const inLine = createLines()

  const take = async (name: string, holder: string): Promise<boolean> => {
    const now = clock.now()
    return acquireLease(db, { name, holder }, { now, until: new Date(now.getTime() + LEASE_MS) })
  }

  const run = async <T>(
    name: string,
    giveUpAtMs: number,
    work: () => Promise<T>,
  ): Promise<Turn<T>> => {
    const holder = newId()
    while (!(await take(name, holder))) {
      if (performance.now() > giveUpAtMs) return { kind: 'busy' }
      await pause(LOOK_AGAIN_MS)
    }
    // An extension that fails is tried again at the next beat; the lease outlasts two of them.
    const renewal = setInterval(() => void take(name, holder).catch(() => {}), LEASE_MS / 3)
    try {
      return { kind: 'done', value: await work() }
    } finally {
      clearInterval(renewal)
      // A lease that is not given back runs out by itself.
      await releaseLease(db, { name, holder }).catch(() => {})
    }
  }

  return (name, work) => {
    const giveUpAtMs = performance.now() + patienceMs
    // In this process they stand in line, so that the database is not asked by each of them.
    return inLine(name, async () =>
      performance.now() > giveUpAtMs ? { kind: 'busy' } : run(name, giveUpAtMs, work),
    )
  }
}
