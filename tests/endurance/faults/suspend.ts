// Suspends every kind of process (SIGSTOP) at random moments and continues it: for a moment, or for longer
// than a lease, a deadline or a time limit of the database, so that others take its work over, or give it up.
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import type { OwnInstallation } from '../worlds/installation.ts'
import { postgresOf } from './killer.ts'

export const ROLES = [
  'worker',
  'api',
  'sandbox',
  'postmaster',
  'postgres process',
  'everything',
] as const
export type Role = (typeof ROLES)[number]

export interface Suspension {
  readonly role: Role
  readonly ms: number
  /** Items that workers had claimed at that moment; 0 unless a worker was suspended. */
  readonly inHand: number
}

interface Range {
  readonly least: number
  readonly most: number
}

interface Pace {
  readonly rest: Range
  readonly short: Range
  readonly long: Range
  readonly longShare: number
}

/** A lease of the sandbox's profile is 20 s. */
export const LONGER_THAN_A_LEASE_MS = 21_000

const MOMENT = { least: 50, most: 2_000 }
const OFTEN = { least: 300, most: 3_000 }
/** Milliseconds. */
const PACES: Readonly<Record<Role, Pace>> = {
  worker: {
    ...{ rest: OFTEN, short: MOMENT, longShare: 0.4 },
    long: { least: LONGER_THAN_A_LEASE_MS, most: 28_000 },
  },
  // A deposit is its process's to order for 30 s.
  api: { rest: OFTEN, short: MOMENT, long: { least: 5_000, most: 35_000 }, longShare: 0.1 },
  sandbox: {
    ...{ rest: { least: 2_000, most: 8_000 }, short: MOMENT, longShare: 0.2 },
    long: { least: 4_000, most: 12_000 },
  },
  postmaster: {
    ...{ rest: { least: 2_000, most: 8_000 }, short: MOMENT, longShare: 0.2 },
    long: { least: 4_000, most: 12_000 },
  },
  // A statement is canceled after 15 s.
  'postgres process': {
    ...{ rest: OFTEN, short: MOMENT, longShare: 0.1 },
    long: { least: 4_000, most: 17_000 },
  },
  everything: {
    ...{ rest: { least: 8_000, most: 20_000 }, short: MOMENT, longShare: 0.2 },
    long: { least: LONGER_THAN_A_LEASE_MS, most: 35_000 },
  },
}
/** So that each history has one that is longer than a lease, with work in its hands. */
const FIRST = { after: { least: 1_000, most: 2_500 }, long: { least: 21_000, most: 22_500 } }

const stopped = new Set<number>()
// A test that ends early leaves nothing suspended.
process.on('exit', () => proceed([...stopped]))

/**
 * Suspends each process again and again until `endsAt` (of the monotonic clock), apart from each other, so
 * that sometimes all of a kind stand still at once. Nothing is suspended any more when it has resolved.
 */
export async function suspendAtRandom(
  installation: OwnInstallation,
  { throwDice, endsAt }: { readonly throwDice: () => number; readonly endsAt: number },
): Promise<Suspension[]> {
  const done: Suspension[] = []
  const between = ({ least, most }: Range): number => least + throwDice() * (most - least)
  const suspend = async (role: Role, pids: readonly number[], ms: number): Promise<void> => {
    const inHand = role === 'worker' ? await countInHand(installation).catch(() => 0) : 0
    await suspendFor(pids, ms)
    done.push({ role, ms, inHand })
  }
  const goOn = async (role: Role, pidsNow: () => number[]): Promise<void> => {
    const { rest, short, long, longShare } = PACES[role]
    for (;;) {
      await wait(between(rest))
      const leftMs = endsAt - performance.now()
      if (leftMs <= 0) return
      const isLong = leftMs > long.most && throwDice() < longShare
      await suspend(role, pidsNow(), between(isLong ? long : short))
    }
  }
  const { workers, apis, sandbox, postgres } = installation
  const server = (): number => postgres.pid()
  const oneOf = (pids: readonly number[]): number[] => {
    const place = Math.floor(throwDice() * pids.length)
    return pids.slice(place, place + 1)
  }
  const nth = (pids: readonly number[], n: number): number[] => pids.slice(n, n + 1)
  const first = async (): Promise<void> => {
    await wait(between(FIRST.after))
    await suspend('worker', nth(workers.pids(), 0), between(FIRST.long))
    await goOn('worker', () => nth(workers.pids(), 0))
  }
  await Promise.all([
    first(),
    goOn('worker', () => nth(workers.pids(), 1)),
    goOn('api', () => nth(apis.pids(), 0)),
    goOn('api', () => nth(apis.pids(), 1)),
    goOn('sandbox', () => [sandbox.child.pid]),
    goOn('postmaster', () => [server()]),
    goOn('postgres process', () => oneOf(postgresOf(postgres.dataFolder).slice(1))),
    goOn('everything', () => [
      ...workers.pids(),
      ...apis.pids(),
      sandbox.child.pid,
      ...postgresOf(postgres.dataFolder),
    ]),
  ])
  return done
}

/** Stops processes for a time. */
export async function suspendFor(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) {
    stopped.add(pid)
    signal(pid, 'SIGSTOP')
  }
  try {
    await wait(ms)
  } finally {
    proceed(pids)
  }
}

function proceed(pids: readonly number[]): void {
  for (const pid of pids) {
    signal(pid, 'SIGCONT')
    stopped.delete(pid)
  }
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile: a process of PostgreSQL by itself, any other because it was killed.
  }
}

const COUNT_IN_HAND = sql(
  'test_count_claimed',
  `select count(*)::int as count from buying.item
   where work in ('place', 'follow') and due_at > now() + interval '2 seconds'`,
)

async function countInHand({ db }: OwnInstallation): Promise<number> {
  const [row] = await db.query<{ count: number }>(COUNT_IN_HAND)
  return row?.count ?? 0
}
