// Seats of one process. What it holds is kept here as well as in the database, so that it can say so
// again when the database has taken it for dead.

import { batched } from '#infra/batch'
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { newId } from '#kernel/id'
import {
  type Caps,
  type Channel,
  forgetProcess,
  type Held,
  registerProcess,
  releaseSeats,
  renewLease,
  type Taken,
  takeSeats,
} from './store.ts'

export interface Seat {
  readonly channel: Channel
  readonly accountId: string
}

export interface Seats {
  /** Takes a seat, or says which cap was reached. */
  take(seat: Seat): Promise<Taken>
  /** The socket is gone. */
  release(seat: Seat): void
  /** Gives back what is held. */
  stop(): Promise<void>
}

export interface SeatsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly caps: Caps
  /** The lease was not renewed, or a seat not given back; both are tried again. */
  onError(error: unknown): void
  readonly leaseMs?: number
}

const LEASE_MS = 20_000
const RELEASE_PAUSE_MS = 100

/** Ready when the process is registered. */
export async function openSeats(deps: SeatsDeps): Promise<Seats> {
  const { db, clock, caps, onError, leaseMs = LEASE_MS } = deps
  const processId = newId(clock.now().getTime())
  const held = createCounts()
  const freed = createCounts()
  const leaseUntil = (): Date => new Date(clock.now().getTime() + leaseMs)
  let stopped = false
  // After a lost answer nobody knows what the database counts; then it is told all that is held.
  let isDoubtful = false

  // Everything that writes goes in turn: a registration must not cross a release.
  const inTurn = createTurns()
  const register = (): Promise<void> =>
    db.transaction(async (tx) => {
      freed.clear()
      await registerProcess(tx, processId, leaseUntil(), held.list())
    })
  const renew = async (): Promise<void> => {
    if (!isDoubtful && (await renewLease(db, processId, leaseUntil()))) return
    await register()
    isDoubtful = false
  }
  const take = batched<Seat, Taken>((wishes) =>
    inTurn(async () => {
      const ask = () => takeSeats(db, processId, clock.now(), wishes, caps)
      let answers = await ask()
      if (answers === null) {
        await register()
        answers = await ask()
      }
      if (answers === null) throw new Error('the seats of a process vanish as it takes them')
      for (const [i, answer] of answers.entries()) {
        if (answer === 'taken') held.add(wishes[i] as Seat, 1)
      }
      return answers
    }).catch((error) => {
      isDoubtful = true
      throw error
    }),
  )
  const flush = (): Promise<void> =>
    inTurn(async () => {
      const gone = freed.list()
      if (gone.length === 0 || stopped) return
      freed.clear()
      await releaseSeats(db, processId, gone).catch((error) => {
        for (const { taken, ...seat } of gone) freed.add(seat, taken)
        throw error
      })
    }).catch(onError)
  let flushTimer: NodeJS.Timeout | undefined

  await register()
  const renewing = setInterval(() => {
    void inTurn(renew).catch(onError)
    void flush()
  }, leaseMs / 4)
  renewing.unref()

  return {
    take,
    release: (seat) => {
      held.add(seat, -1)
      freed.add(seat, 1)
      if (flushTimer !== undefined) return
      flushTimer = setTimeout(() => {
        flushTimer = undefined
        void flush()
      }, RELEASE_PAUSE_MS)
      flushTimer.unref()
    },
    stop: async () => {
      stopped = true
      clearInterval(renewing)
      await inTurn(() => forgetProcess(db, processId)).catch(onError)
    },
  }
}

function createCounts() {
  const counts = new Map<string, Held>()
  return {
    add: ({ channel, accountId }: Seat, by: number): void => {
      const key = `${channel} ${accountId}`
      const taken = (counts.get(key)?.taken ?? 0) + by
      if (taken > 0) counts.set(key, { channel, accountId, taken })
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
