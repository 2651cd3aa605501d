// The board: what this process knows of the status of the service. It answers from memory, and begins with
// what an earlier process has kept.
import type { Db } from '#infra/database/db'
import { startPollLoop } from '#infra/jobs/poll-loop'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import {
  type Component,
  type Day,
  daysOf,
  findJudgedAt,
  findNewestPeriod,
  historyStart,
  keyOf,
  listCurrent,
  listMarketFigures,
  listPeriodsAfter,
  listSince,
  type MarketFigures,
  type Period,
} from '#status'
import type { ShownComponent } from '#wire/merchant/status'

export interface Known {
  /** When a worker has last looked; null: none has. */
  readonly judgedAt: Date | null
  /** When this was read from the database. */
  readonly readAt: Date
  readonly components: readonly (ShownComponent & { readonly days: readonly Day[] })[]
  readonly figures: readonly MarketFigures[]
}

export interface Board {
  /** Null: nothing was ever known here. */
  known(): Known | null
  stop(): Promise<void>
}

/** Where a process keeps what it knows; a failure to write is the caller's to tolerate. */
export interface BoardFile {
  read(): string | null
  write(text: string): void
}

export interface BoardDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly file: BoardFile
  /** Once for each change that is written from now on, in order. */
  onChange(change: Period): void
}

const EVERY_MS = 2000
/** Days are added up and the file is written so often, and when something changes. */
const SELDOM_MS = 60_000

export function openBoard(deps: BoardDeps): Board {
  const { db, clock, log, file } = deps
  let known = readKept(file, log)
  let days: { readonly atMs: number; readonly of: ReadonlyMap<string, readonly Day[]> } | null =
    null
  let newest: string | null | undefined
  let isFileReported = false

  const report = async (): Promise<boolean> => {
    if (newest === undefined) {
      newest = await findNewestPeriod(db)
      return true
    }
    const periods = await listPeriodsAfter(db, newest ?? FIRST)
    for (const period of periods) {
      newest = period.id
      if (period.previous !== null) deps.onChange(period)
    }
    return periods.length > 0
  }

  const readDays = async (now: Date) => {
    const periods = await listSince(db, historyStart(now))
    const of = new Map(
      [...Map.groupBy(periods, keyOf)].map(([key, own]) => [key, daysOf(own, now)] as const),
    )
    return { atMs: now.getTime(), of }
  }

  const keep = (next: Known): void => {
    try {
      file.write(JSON.stringify(next))
    } catch (error) {
      // A folder that cannot be written to leaves the page with what is in memory.
      if (!isFileReported) log.warn({ err: error }, 'the status is not kept on disk')
      isFileReported = true
    }
  }

  const read = async (): Promise<void> => {
    const hasChanged = await report()
    const [current, figures, judgedAt] = await Promise.all([
      listCurrent(db),
      listMarketFigures(db),
      findJudgedAt(db),
    ])
    const now = clock.now()
    const isOld = days === null || now.getTime() - days.atMs >= SELDOM_MS
    if (isOld || hasChanged) days = await readDays(now)
    const of = days?.of
    known = {
      ...{ judgedAt, readAt: now, figures },
      components: current.map(({ component, name, status, reason, fromAt }) => ({
        ...{ component, name, status, reason, since: fromAt },
        days: of?.get(keyOf({ component, name })) ?? daysOf([], now),
      })),
    }
    if (isOld || hasChanged) keep(known)
  }

  const loop = startPollLoop({
    pollMs: EVERY_MS,
    restMs: 0,
    run: read,
    // The gauge of the worker and the log report that the database is away.
    onError: () => {},
  })
  return { known: () => known, stop: loop.stop }
}

/** Before every id. */
const FIRST = '00000000-0000-0000-0000-000000000000'

/** What an earlier process has kept; null without it, or when it cannot be used. */
export function readKept(file: Pick<BoardFile, 'read'>, log: Pick<Log, 'warn'>): Known | null {
  try {
    const text = file.read()
    return text === null ? null : revive(JSON.parse(text))
  } catch (error) {
    log.warn({ err: error }, 'the kept status cannot be read')
    return null
  }
}

type Kept = {
  readonly judgedAt: string | null
  readonly readAt: string
  readonly components: readonly (Component & {
    readonly status: Period['status']
    readonly reason: string | null
    readonly since: string
    readonly days: readonly Day[]
  })[]
  readonly figures: readonly (Omit<MarketFigures, 'readAt'> & { readonly readAt: string | null })[]
}

const revive = ({ judgedAt, readAt, components, figures }: Kept): Known => ({
  judgedAt: dateOf(judgedAt),
  readAt: new Date(readAt),
  components: components.map((one) => ({ ...one, since: new Date(one.since) })),
  figures: figures.map((one) => ({ ...one, readAt: dateOf(one.readAt) })),
})

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text))
