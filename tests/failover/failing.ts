// One failure of the primary, and what is measured until the cluster is whole again.
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import type { Cluster } from '../support/cluster.ts'
import { metricOf } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { Buys } from './buys.ts'
import type { Failover, Member } from './database.ts'
import { type Held, readHeld, whatIsMore } from './held.ts'
import { keepLooking } from './looking.ts'

/** With the files as they are; to cut a member off takes a relay before its etcd. */
export const BY_DEFAULT = ['killpg', 'switchover', 'kill', 'stop'] as const
export const MODES = [...BY_DEFAULT, 'cut'] as const
/** How many buys are acknowledged that a held back standby does not have. */
const HELD_BACK_BUYS = 8
export type Mode = (typeof MODES)[number]
export const isMode = (name: string): name is Mode => MODES.some((mode) => mode === name)

/** Seconds since the failure. */
export interface Measured {
  readonly mode: Mode
  readonly leaderS: number
  readonly gapS: number
  readonly listenS: number
  readonly readyS: number
  readonly gatesS: number
  readonly closings: number
  readonly before: Held
  readonly after: Held
  readonly broken: readonly string[]
}

const TTL_S = 20
const LEADER_WITHIN_S: Readonly<Record<Mode, number>> = {
  switchover: 5,
  killpg: 15,
  kill: TTL_S + 10,
  stop: TTL_S + 10,
  cut: TTL_S + 10,
}
const READY_WITHIN_S = 5
const STOPPED_MS = 60_000

export function createFailing({
  database,
  cluster,
  db,
  buys,
  isUnhurried,
}: {
  readonly database: Failover
  readonly cluster: Cluster
  readonly db: Db
  readonly buys: Buys
  /** Beside other work, nothing is promised about seconds. */
  readonly isUnhurried: boolean
}): (mode: Mode, options?: { readonly isHeldBack?: boolean }) => Promise<Measured> {
  /** How often each process has opened its connection for notices again. */
  const readReconnects = (): Promise<number[]> =>
    Promise.all(
      [...cluster.apis, ...cluster.workers].map(
        async (server) => (await metricOf(server, 'tradepost_db_listen_reconnects_total')) ?? 0,
      ),
    )

  return async (mode, { isHeldBack = false } = {}) => {
    const primary = await database.untilWhole()
    await untilBought(buys, 10)
    if (isHeldBack) {
      await database.holdBack(primary)
      await untilBought(buys, HELD_BACK_BUYS)
    }
    const before = await readHeld(db, cluster)
    const reconnects = await readReconnects()
    const gates = watchGates(db)
    const failedAt = performance.now()
    const since = (): number => (performance.now() - failedAt) / 1000
    const woken = await breakIt(database, primary, mode)
    const leader = await until(
      'another member is the primary',
      async () => {
        const now = await database.primary()
        return now !== null && now.name !== primary.name ? now : null
      },
      { everyMs: 50, deadlineMs: 90_000 },
    )
    const leaderS = since()
    const readyS = await Promise.all(
      cluster.apis.map(async ({ baseUrl }) => {
        await until(
          `${baseUrl} is ready`,
          async () => (await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(3000) })).ok,
        )
        return since()
      }),
    )
    await until('every process listens again', async () =>
      (await readReconnects()).every((count, i) => count > (reconnects[i] ?? 0)),
    )
    const listenS = since()
    await untilBought(buys, 5)
    await woken(leader)
    const last = await database.untilWhole()
    await until('the gates are open', () => gates.areOpen())
    const { closedS, closings } = gates.stop()
    const { after, more } = await untilBack(before, () => readHeld(db, cluster))
    const gapS = longestGap(buys.acknowledgedAt, failedAt - 1000)
    const readyAfterS = Math.max(...readyS)
    return {
      ...{ mode, leaderS, gapS, listenS, readyS: readyAfterS, gatesS: closedS, closings },
      ...{ before, after },
      broken: [
        more !== null && `${mode}: ${more}`,
        !isUnhurried &&
          !isHeldBack &&
          closings > 0 &&
          `${mode}: ${closings} gates were closed, and nothing was lost`,
        last.name !== leader.name && `${mode}: ${last.name} took the lead from ${leader.name}`,
        !isUnhurried &&
          leaderS > LEADER_WITHIN_S[mode] &&
          `${mode}: a new leader only after ${leaderS.toFixed(1)} s`,
        !isUnhurried &&
          readyAfterS - leaderS > READY_WITHIN_S &&
          `${mode}: ready only ${(readyAfterS - leaderS).toFixed(1)} s after the leader`,
      ].filter((one) => one !== false),
    }
  }
}

const BACK_WITHIN_MS = 60_000

/** What is held then, and in words what of it is more than before. */
async function untilBack(
  before: Held,
  read: () => Promise<Held>,
): Promise<{ readonly after: Held; readonly more: string | null }> {
  const deadline = performance.now() + BACK_WITHIN_MS
  return until(
    'memory and connections are read',
    async () => {
      const after = await read()
      const more = whatIsMore(before, after)
      return more === null || performance.now() > deadline ? { after, more } : null
    },
    { everyMs: 1000, deadlineMs: 2 * BACK_WITHIN_MS },
  )
}

/** What is to be done when a new primary serves: the lost machine comes back. */
async function breakIt(
  database: Failover,
  primary: Member,
  mode: Mode,
): Promise<(leader: Member) => Promise<void>> {
  switch (mode) {
    case 'killpg':
      primary.signal('SIGKILL', 'postgres')
      return async () => {}
    case 'switchover':
      await database.switchOver(primary)
      return async () => {}
    case 'kill':
      primary.signal('SIGKILL', 'both')
      return async () => primary.startPatroni()
    case 'cut':
      await primary.cut()
      return () => primary.reconnect()
    case 'stop': {
      primary.signal('SIGSTOP', 'both')
      const wokenAt = performance.now() + STOPPED_MS
      return async (leader) => {
        await until('it has stood for a minute', () => performance.now() >= wokenAt, {
          everyMs: 250,
          deadlineMs: 2 * STOPPED_MS,
        })
        primary.signal('SIGCONT', 'both')
        // Until it has noticed, it calls itself the primary, and answers reads with old rows.
        await until(
          'the woken member is a replica, or has taken the lead',
          async () => {
            const state = await primary.state()
            const isReplica = state?.role === 'replica' && state.state === 'running'
            return isReplica || !(await leader.isPrimary())
          },
          { everyMs: 250, deadlineMs: 120_000 },
        )
      }
    }
  }
}

async function untilBought({ acknowledgedAt }: Buys, more: number): Promise<void> {
  const wanted = acknowledgedAt.length + more
  await until(`${more} more buys are acknowledged`, () => acknowledgedAt.length >= wanted, {
    deadlineMs: 120_000,
  })
}

/** Seconds. */
function longestGap(times: readonly number[], fromMs: number): number {
  const seen = times.filter((at) => at >= fromMs).sort((a, b) => a - b)
  return Math.max(...seen.slice(1).map((at, i) => at - (seen[i] ?? at))) / 1000
}

interface GateWatch {
  areOpen(): Promise<boolean>
  stop(): { readonly closedS: number; readonly closings: number }
}

const LIST_CLOSED = sql(
  'drill.list_closed',
  'select market from reconciliation.placing_gate where closed_at is not null',
)
const readClosed = async (db: Db): Promise<string[]> =>
  (await db.query<{ market: string }>(LIST_CLOSED)).map(({ market }) => market)

/** The gates as the database has them, five times a second. */
function watchGates(db: Db): GateWatch {
  let before: string[] = []
  let closedMs = 0
  let closings = 0
  let lookedAt = performance.now()
  const look = async (): Promise<void> => {
    const now = await readClosed(db)
    if (before.length > 0) closedMs += performance.now() - lookedAt
    closings += now.filter((market) => !before.includes(market)).length
    before = now
    lookedAt = performance.now()
  }
  const stopLooking = keepLooking(look)
  return {
    areOpen: async () => (await readClosed(db)).length === 0,
    stop: () => {
      stopLooking()
      return { closedS: closedMs / 1000, closings }
    },
  }
}
