// Connection slots of one process. What the process holds is kept here as well as in the database, so that
// it can register again after its lease has expired.

import { batched } from '#infra/database/batch'
import type { Db } from '#infra/database/db'
import { startPollLoop } from '#infra/jobs/poll-loop'
import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import {
  type Caps,
  type ConnectionSlot,
  deleteProcess,
  type Held,
  MOST_OF_A_BATCH,
  registerProcess,
  releaseSlots,
  renewLease,
  type Taken,
  takeSlots,
} from './store.ts'

export interface ConnectionSlots {
  /** Takes a slot, or returns which cap was reached. */
  take(slot: ConnectionSlot): Promise<Taken>
  /** The socket is closed. */
  release(slot: ConnectionSlot): void
  /** Releases every slot of this process. */
  stop(): Promise<void>
}

export interface ConnectionSlotsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly caps: Caps
  /** The lease was not renewed, or slots were not released; both are tried again. */
  onError(error: unknown): void
  readonly leaseMs?: number
}

const LEASE_MS = 20_000
const RELEASE_PAUSE_MS = 100

/** Resolves when the process is registered. */
export async function openConnectionSlots(deps: ConnectionSlotsDeps): Promise<ConnectionSlots> {
  const { db, clock, caps, onError, leaseMs = LEASE_MS } = deps
  const processId = newId(clock.now().getTime())
  const held = createCounts()
  const released = createCounts()
  const leaseUntil = (): Date => new Date(clock.now().getTime() + leaseMs)
  // After a lost answer it is unknown what the database counts; then all that is held is registered anew.
  let isUncertain = false

  // All writes are serialised: a registration must not cross a release.
  const inTurn = createTurns()
  const register = (): Promise<void> =>
    db.transaction(async (tx) => {
      released.clear()
      await registerProcess(tx, processId, leaseUntil(), held.list())
    })
  const renew = (): Promise<void> =>
    inTurn(async () => {
      if (!isUncertain && (await renewLease(db, processId, leaseUntil()))) return
      await register()
      isUncertain = false
    })
  const take = batched<ConnectionSlot, Taken>(
    (requested) =>
      inTurn(async () => {
        const ask = () => takeSlots(db, processId, clock.now(), requested, caps)
        let answers = await ask()
        if (answers === null) {
          await register()
          answers = await ask()
        }
        if (answers === null) throw new Error('a registered process is not known to the database')
        for (const [i, answer] of answers.entries()) {
          if (answer === 'taken') held.add(requested[i] as ConnectionSlot, 1)
        }
        return answers
      }).catch((error) => {
        isUncertain = true
        throw error
      }),
    MOST_OF_A_BATCH,
  )
  const releaseAll = (): Promise<void> =>
    inTurn(async () => {
      const slots = released.list()
      if (slots.length === 0) return
      released.clear()
      await releaseSlots(db, processId, slots).catch((error) => {
        for (const { taken, ...slot } of slots) released.add(slot, taken)
        throw error
      })
    })

  await register()
  const renewals = startPollLoop({
    pollMs: leaseMs / 4,
    restMs: 0,
    firstMs: leaseMs / 4,
    run: renew,
    onError,
  })
  const releases = startPollLoop({
    pollMs: leaseMs / 4,
    restMs: RELEASE_PAUSE_MS,
    firstMs: leaseMs / 4,
    run: releaseAll,
    onError,
  })

  return {
    take,
    release: (slot) => {
      held.add(slot, -1)
      released.add(slot, 1)
      releases.wake()
    },
    stop: async () => {
      await Promise.all([renewals.stop(), releases.stop()])
      await inTurn(() => deleteProcess(db, processId)).catch(onError)
    },
  }
}

function createCounts() {
  const counts = new Map<string, Held>()
  return {
    add: ({ channel, tenantId, accountId }: ConnectionSlot, by: number): void => {
      const key = `${channel} ${accountId}`
      const taken = (counts.get(key)?.taken ?? 0) + by
      if (taken > 0) counts.set(key, { channel, tenantId, accountId, taken })
      else counts.delete(key)
    },
    list: (): Held[] => [...counts.values()],
    clear: (): void => counts.clear(),
  }
}

function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}
