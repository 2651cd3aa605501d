// What waits, who works on it, and who holds which lease: read from the database, so every process
// answers alike.
import { countQueues, listWaitingItems, type MarketId, readOldest } from '#buying'
import { listOpenSweeps, listPendingTransfers, listScans } from '#chains'
import { findDepositsOfTransfers, listWaitingOrders } from '#deposits'
import type { Db } from '#infra/database/db'
import { type HeldLease, listLeases } from '#infra/database/leases'
import { type JobBeat, listAllHeartbeats } from '#infra/jobs/heartbeats'
import type { Clock } from '#infra/process/clock'
import type { WaitingRow } from '#kernel/waiting'
import { listWaitingMail } from '#mail'
import { listUnfinished } from '#outbound'
import { listUndispatched, readLag } from '#outbox'
import { listWaitingWithdrawals } from '#payouts'
import { listWaitingAnonymousRequests } from '#people'
import { countOpenSells, listOpenSells } from '#selling'
import { countDeadLetters, listWaitingDeliveries, readBacklog } from '#webhooks'
import type { HitKind } from './find.ts'

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

/**
 * `running`: its first run has not ended. `standby`: another process holds the lease that this run needs.
 * `failing`: its last run threw. `silent`: its process has not beaten for a minute.
 */
export type JobStatus = 'ok' | 'running' | 'standby' | 'failing' | 'silent'

const SILENT_MS = 60_000

export interface QueueDeps {
  readonly db: Db
  readonly clock: Clock
}

export async function readQueues({ db, clock }: QueueDeps): Promise<Queues> {
  const at = clock.now()
  const [buys, oldestBuys, sells, events, webhooks, deadLetters, beats, leases] = await Promise.all(
    [
      countQueues(db),
      readOldest(db),
      countOpenSells(db),
      readLag(db),
      readBacklog(db, at),
      countDeadLetters(db),
      listAllHeartbeats(db),
      listLeases(db),
    ],
  )
  const ageOf = (since: Date | null): number | null =>
    since === null ? null : Math.max(0, at.getTime() - since.getTime())
  const queue = (name: string, count: number, oldest: Date | null, due = count): Queue => ({
    ...{ name, count, due },
    oldestAgeMs: ageOf(oldest),
  })
  const others: Queue[] = []
  for (const [name, { list }] of Object.entries(LISTED)) {
    const [first] = await list(db, { at, limit: 1 })
    const waiting = (first?.count ?? 0) > 0
    const oldest = waiting ? (first?.since ?? null) : null
    others.push(queue(name, first?.count ?? 0, oldest, first?.due ?? 0))
  }
  const oldestDeadLetter =
    deadLetters.map(({ oldest }) => oldest).sort((a, b) => +a - +b)[0] ?? null
  return {
    at,
    queues: [
      ...buys.map(({ market, work, count, due }) => {
        const own = oldestBuys.find((one) => one.market === market && one.work === work)
        return queue(`${work} ${market}`, count, own?.oldest ?? null, due)
      }),
      ...sells.map(({ status, count, oldest }) => queue(`sells ${status}`, count, oldest)),
      queue('events to dispatch', events.count, events.oldest),
      queue(
        'webhooks to deliver',
        webhooks.count,
        webhooks.due > 0 ? webhooks.oldest : null,
        webhooks.due,
      ),
      queue(
        'webhooks parked',
        deadLetters.reduce((sum, { count }) => sum + count, 0),
        oldestDeadLetter,
      ),
      ...others,
    ],
    jobs: beats.map((beat) => ({ ...beat, status: statusOf(beat, leases, at) })),
    leases,
  }
}

export interface QueueRow extends Pick<WaitingRow, 'id' | 'what' | 'since' | 'dueAt'> {
  /** What it leads to; null: it has no page of its own. */
  readonly kind: HitKind | null
  readonly leadsTo: string | null
}

interface Listed {
  readonly kind: HitKind | null
  list(db: Db, query: { readonly at: Date; readonly limit: number }): Promise<WaitingRow[]>
}

/** Queues that are counted by the list of their rows. */
const LISTED = {
  'withdrawals to approve': {
    kind: 'withdrawal',
    list: (db, query) => listWaitingWithdrawals(db, { ...query, areHeld: false }),
  },
  'withdrawals to release': {
    kind: 'withdrawal',
    list: (db, query) => listWaitingWithdrawals(db, { ...query, areHeld: true }),
  },
  'outbound payments': { kind: 'withdrawal', list: listUnfinished },
  'deposits at providers': {
    kind: 'deposit',
    list: (db, query) => listWaitingOrders(db, { ...query, areOver: false }),
  },
  'deposits watched after their end': {
    kind: 'deposit',
    list: (db, query) => listWaitingOrders(db, { ...query, areOver: true }),
  },
  'transfers to confirm': { kind: 'deposit', list: listPendingTransfers },
  'chains to scan': { kind: null, list: listScans },
  sweeps: { kind: 'account', list: listOpenSweeps },
  mail: { kind: null, list: listWaitingMail },
  'visitor requests': { kind: null, list: listWaitingAnonymousRequests },
} as const satisfies Readonly<Record<string, Listed>>

const OF_EVENTS: Readonly<Record<string, Listed>> = {
  'events to dispatch': { kind: 'event', list: (db, { limit }) => listUndispatched(db, limit) },
  'webhooks to deliver': {
    kind: 'delivery',
    list: (db, query) => listWaitingDeliveries(db, { ...query, areDeadLetters: false }),
  },
  'webhooks parked': {
    kind: 'delivery',
    list: (db, query) => listWaitingDeliveries(db, { ...query, areDeadLetters: true }),
  },
}

/** The queues of trades are named by their market or their state. */
function queueOf(name: string): Listed | null {
  const known = { ...LISTED, ...OF_EVENTS } as Readonly<Record<string, Listed>>
  if (Object.hasOwn(known, name)) return known[name] ?? null
  const [work, of = ''] = name.split(' ')
  if (work === 'place' || work === 'follow') {
    const market = of as MarketId
    return { kind: 'trade', list: (db, query) => listWaitingItems(db, { ...query, market, work }) }
  }
  if (work !== 'sells') return null
  return { kind: 'trade', list: (db, query) => listOpenSells(db, { ...query, status: of }) }
}

/** The first rows of a queue, the oldest or longest due first; null: there is no such queue. */
export async function listQueue(
  { db, clock }: QueueDeps,
  { name, limit }: { readonly name: string; readonly limit: number },
): Promise<readonly QueueRow[] | null> {
  const queue = queueOf(name)
  if (queue === null) return null
  const rows = await queue.list(db, { at: clock.now(), limit })
  const isOfTransfers = queue === LISTED['transfers to confirm']
  const ids = isOfTransfers ? rows.map(({ id }) => id) : []
  const deposits = await findDepositsOfTransfers(db, ids)
  return rows.map(({ id, refId, what, since, dueAt }) => ({
    ...{ id, what, since, dueAt },
    kind: refId === null ? null : queue.kind,
    // A deposit into payout custody has the id of its transfer.
    leadsTo: (refId !== null && deposits.get(refId)) || refId,
  }))
}

/** A singleton's lease has the name of its job. */
function statusOf(
  { job, processId, beatAt, succeededAt, error }: JobBeat,
  leases: readonly HeldLease[],
  at: Date,
): JobStatus {
  if (at.getTime() - beatAt.getTime() > SILENT_MS) return 'silent'
  if (error !== null) return 'failing'
  if (succeededAt !== null) return 'ok'
  const lease = leases.find(({ name }) => name === job)
  return lease === undefined || lease.holder === processId ? 'running' : 'standby'
}
