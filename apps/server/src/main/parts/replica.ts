// The replica in DATABASE_READ_URL, opened for what answers requests.
import { openDb } from '#infra/database/db'
import {
  LOOK_TIMEOUT_MS,
  openReplica,
  type Replica,
  type ReplicaState,
} from '#infra/database/replica'
import { meterPool, type ProcessContext } from '../processes.ts'
import type { Resources } from '../resources.ts'

/** On top of DB_POOL_SIZE at the primary, and the same at the replica. */
export const HEAVY_READ_CONNECTIONS = 4
export const HEAVY_READ_TIMEOUT_MS = 8000

/** What `/readyz` and the log say of it. */
const SENTENCES: Readonly<Record<ReplicaState, string>> = {
  ok: 'ok',
  behind: 'it is further behind than READ_MAX_LAG_MS',
  unreachable: 'it is unreachable',
  'same server': 'DATABASE_READ_URL and DATABASE_URL lead to the same server',
  'takes writes': 'it is no replica: it takes writes',
  'other system': 'it is a replica of another system',
  'other timeline': 'it is on another timeline than the primary',
}

export const describeReplica = (replica: Pick<Replica, 'state'>): string =>
  SENTENCES[replica.state()]

/** Null without the setting. One that cannot be used is named, and its reads go to the primary. */
export async function openReadReplica(
  { lifecycle }: Pick<ProcessContext, 'lifecycle'>,
  { config, db, clock, log, metrics }: Resources,
): Promise<Replica | null> {
  const { replica: set } = config.database
  if (set === null) return null
  const reads = metrics.counter(
    'db_reads_total',
    'Reads that a replica may answer, by the side that answered them',
    ['side'],
  )
  // Of its own: while requests wait for a connection, the replica would pass for older than it is, and its
  // reads come on top at the primary.
  const primary = openDb({
    ...{ url: db.url, poolSize: 1, statementTimeoutMs: LOOK_TIMEOUT_MS },
    applicationName: 'tradepost replica watch',
  })
  lifecycle.onStop('watch of the primary', () => primary.close())
  const replica = await openReplica({
    ...{ url: set.url.reveal(), maxLagMs: set.maxLagMs, primary, clock },
    poolSize: HEAVY_READ_CONNECTIONS,
    statementTimeoutMs: HEAVY_READ_TIMEOUT_MS,
    onRead: (side) => reads.labels(side).inc(),
    onMoved: (error) =>
      log.warn({ err: error }, 'a read of the replica failed and went to the primary'),
    onState: (state) => {
      if (state === 'ok') log.info({}, 'reads may go to the replica')
      else log.warn({ why: SENTENCES[state] }, 'the replica is not used')
    },
  })
  lifecycle.onStop('replica', () => replica.close())
  meterPool(metrics, replica.db, 'replica')
  const lag = metrics.gauge('db_replica_lag_seconds', 'How old what the replica shows may be')
  metrics.onScrape(() => lag.set(replica.lagMs() / 1000))
  return replica
}
