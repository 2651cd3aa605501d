// Readiness: the database answers, and its tables are those of this version, or of a later one that bears it.
// Without a living worker what is read is served all the same: the process is degraded, and in rotation.
import { type Db, sql } from '../database/db.ts'
import { APPLIED, type Applied, compareSchema, readMigrations } from '../database/schema-history.ts'
import type { WorkerBeats } from '../jobs/worker-beats.ts'
import type { Clock } from './clock.ts'
import { createMemo } from './memo.ts'
import type { Metrics } from './metrics.ts'

export interface Readiness {
  /** `degraded`: it serves, and what it accepts waits for a worker. */
  readonly status: 'ready' | 'degraded' | 'unready'
  /** What is wrong, by check; `ok` where nothing is. */
  readonly checks: {
    readonly database: string
    readonly migrations: string
    readonly workers: string
    readonly [note: string]: string
  }
}

export interface HealthDeps {
  readonly db: Db
  readonly clock: Clock
  readonly metrics: Metrics
  readonly workers: Pick<WorkerBeats, 'listSilent'>
  /** Jobs that must beat. Empty: any worker will do. */
  readonly jobs: readonly string[]
  /** What is said beside, by name; it makes nothing unready. */
  readonly notes?: Readonly<Record<string, () => Promise<string>>>
}

const REMEMBERED_MS = 1000
const TIMEOUT_MS = 3000

/** Answers from memory for a second, so that probes cost the database nothing. */
export function createReadiness(deps: HealthDeps): () => Promise<Readiness> {
  const ahead = deps.metrics.gauge(
    'schema_ahead',
    'Whether the database has migrations of a later version (0, 1)',
  )
  // Those of the running code: the files may be those of the next release already.
  const known = readMigrations()
  const readSchema = async () => {
    const applied = await deps.db.query<Applied>(sql('infra_applied_migrations', APPLIED))
    const schema = compareSchema(applied, known)
    ahead.set(schema.isNewer ? 1 : 0)
    return schema
  }
  const readNotes = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(deps.notes ?? {}).map(async ([name, read]) => [name, await read()]),
      ),
    )
  const check = async (): Promise<Readiness> => {
    try {
      const [schema, silent, notes] = await within(
        TIMEOUT_MS,
        Promise.all([readSchema(), deps.workers.listSilent(deps.jobs), readNotes()]),
      )
      const { missing, isNewer, refusal } = schema
      const isFit = refusal === null && missing.length === 0
      const migrations = isNewer ? 'ok, database is newer' : 'ok'
      const workers = silent.length === 0 ? 'ok' : `silent: ${silent.join(', ')}`
      return {
        status: isFit ? (silent.length === 0 ? 'ready' : 'degraded') : 'unready',
        checks: {
          database: 'ok',
          migrations: isFit ? migrations : (refusal?.message ?? `missing: ${missing.join(', ')}`),
          workers,
          ...notes,
        },
      }
    } catch {
      const unknown = 'unknown'
      return {
        status: 'unready',
        checks: { database: 'unreachable', migrations: unknown, workers: unknown },
      }
    }
  }
  return createMemo(check, { clock: deps.clock, freshMs: REMEMBERED_MS })
}

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
