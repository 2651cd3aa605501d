// What the processes hold: their memory, and their connections to the database. A failure that leaves more of
// either behind each time ends in an outage of its own.
import { type Db, sql } from '../../apps/server/src/infra/database/db.ts'
import type { Cluster } from '../support/cluster.ts'
import { metricOf, type Server } from '../support/server.ts'

export interface Held {
  /** Resident memory of each process, apis first, MiB. */
  readonly memoryMib: readonly number[]
  /** Of the service's role at the primary. */
  readonly connections: number
}

/** V8 gives memory back late; what a failure leaks for each of its requests is more than that. */
const MEMORY_SHARE = 0.25
const MEMORY_MIB = 32
/** Pools grow and shrink with what is under way: of forty, ten came and went over eight failures. */
const CONNECTIONS = 12

const COUNT = sql(
  'drill.count_connections',
  'select count(*)::int count from pg_stat_activity where usename = current_user',
)

export async function readHeld(db: Db, { apis, workers }: Cluster): Promise<Held> {
  const memoryOf = async (server: Server): Promise<number> =>
    ((await metricOf(server, 'tradepost_process_resident_memory_bytes')) ?? 0) / 2 ** 20
  const [rows, memoryMib] = await Promise.all([
    db.query<{ count: number }>(COUNT),
    Promise.all([...apis, ...workers].map(memoryOf)),
  ])
  return { memoryMib, connections: rows[0]?.count ?? 0 }
}

/** In words what is more than before, beyond the tolerance; null when nothing is. */
export function whatIsMore(before: Held, after: Held): string | null {
  const isMore = after.memoryMib.some((mib, i) => mib > mostAfter(before.memoryMib[i] ?? 0))
  if (isMore) return `memory ${inMib(before)} before, ${inMib(after)} MiB after`
  if (after.connections > before.connections + CONNECTIONS)
    return `${before.connections} connections before, ${after.connections} after`
  return null
}

const mostAfter = (mib: number): number => mib * (1 + MEMORY_SHARE) + MEMORY_MIB
export const inMib = ({ memoryMib }: Held): string => memoryMib.map(Math.round).join(', ')
