// What waits, who works on it, and who holds which lease: read from the database, so every process
// answers alike.
import { countQueues } from '#buying'
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { type JobBeat, listAllHeartbeats } from '#infra/heartbeats'
import { type HeldLease, listLeases } from '#infra/leases'
import { readLag } from '#outbox'
import { countOpenSells } from '#selling'
import { countParked, readBacklog } from '#webhooks'

export interface Queues {
  readonly at: Date
  readonly queues: readonly Queue[]
  readonly jobs: readonly (JobBeat & { readonly status: JobStatus })[]
  readonly leases: readonly HeldLease[]
}

export interface Queue {
  readonly name: string
  readonly count: number
  readonly due: number
  readonly oldestAgeMs: number | null
}

/** `failing`: its last run threw. `silent`: its process has not beaten for a minute. */
export type JobStatus = 'ok' | 'failing' | 'silent'

const SILENT_MS = 60_000

export async function readQueues({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): Promise<Queues> {
  const [buys, sells, events, webhooks, parked, beats, leases] = await Promise.all([
    countQueues(db),
    countOpenSells(db),
    readLag(db),
    readBacklog(db),
    countParked(db),
    listAllHeartbeats(db),
    listLeases(db),
  ])
  const at = clock.now()
  const ageOf = (since: Date | null): number | null =>
    since === null ? null : Math.max(0, at.getTime() - since.getTime())
  const queue = (name: string, count: number, oldest: Date | null, due = count): Queue => ({
    ...{ name, count, due },
    oldestAgeMs: ageOf(oldest),
  })
  const oldestParked = parked.map(({ oldest }) => oldest).sort((a, b) => +a - +b)[0] ?? null
  return {
    at,
    queues: [
      ...buys.map(({ market, work, count, due, oldestDue }) =>
        queue(`${work} ${market}`, count, oldestDue, due),
      ),
      ...sells.map(({ status, count, oldest }) => queue(`sells ${status}`, count, oldest)),
      queue('events to dispatch', events.count, events.oldest),
      queue('webhooks to deliver', webhooks.count, webhooks.oldest),
      queue(
        'webhooks parked',
        parked.reduce((sum, { count }) => sum + count, 0),
        oldestParked,
      ),
    ],
    jobs: beats.map((beat) => ({ ...beat, status: statusOf(beat, at) })),
    leases,
  }
}

const statusOf = ({ beatAt, error }: JobBeat, at: Date): JobStatus => {
  if (at.getTime() - beatAt.getTime() > SILENT_MS) return 'silent'
  return error === null ? 'ok' : 'failing'
}
