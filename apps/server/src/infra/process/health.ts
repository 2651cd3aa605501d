// Readiness: the database answers and has this version's tables, and the workers have heartbeats.

import { type Db, sql } from '../database/db.ts'
import { findMissingMigrations } from '../database/migrations.ts'
import type { Clock } from './clock.ts'
import { createMemo } from './memo.ts'

export interface Readiness {
  readonly ready: boolean
  /** What is wrong, by check; `ok` where nothing is. */
  readonly checks: {
    readonly database: string
    readonly migrations: string
    readonly workers: string
  }
}

export interface HealthDeps {
  readonly db: Db
  readonly clock: Clock
  /** Jobs that must beat. Empty: any worker will do. */
  readonly jobs: readonly string[]
}

const MAX_SILENCE_MS = 30_000
const REMEMBERED_MS = 1000
const TIMEOUT_MS = 3000

/** Answers from memory for a second, so that probes cost the database nothing. */
export const createReadiness = (deps: HealthDeps): (() => Promise<Readiness>) =>
  createMemo(() => check(deps), { clock: deps.clock, freshMs: REMEMBERED_MS })

async function check({ db, clock, jobs }: HealthDeps): Promise<Readiness> {
  const unknown = 'unknown'
  try {
    const [missing, silent] = await within(
      TIMEOUT_MS,
      Promise.all([
        findMissingMigrations((text) => db.query(sql('infra_applied_migrations', text))),
        findSilent(db, jobs, new Date(clock.now().getTime() - MAX_SILENCE_MS)),
      ]),
    )
    const migrations = missing.length === 0 ? 'ok' : `missing: ${missing.join(', ')}`
    const workers = silent.length === 0 ? 'ok' : `silent: ${silent.join(', ')}`
    const ready = migrations === 'ok' && workers === 'ok'
    return { ready, checks: { database: 'ok', migrations, workers } }
  } catch (error) {
    // A newer database is a sentence of its own; everything else means that it does not answer.
    const isMigration = (error as Error).name === 'CannotStart'
    return {
      ready: false,
      checks: isMigration
        ? { database: 'ok', migrations: (error as Error).message, workers: unknown }
        : { database: 'unreachable', migrations: unknown, workers: unknown },
    }
  }
}

/** Jobs that no process has run lately. */
async function findSilent(db: Db, jobs: readonly string[], since: Date): Promise<string[]> {
  const rows = await db.query<{ job: string }>(LIVING_JOBS, [since])
  const living = new Set(rows.map(({ job }) => job))
  if (jobs.length === 0) return living.size > 0 ? [] : ['every worker']
  return jobs.filter((job) => !living.has(job))
}

const LIVING_JOBS = sql(
  'infra_living_jobs',
  'select distinct job from infra.heartbeat where beat_at >= $1 limit 1000',
)

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
