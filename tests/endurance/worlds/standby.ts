// A standby of a running server: a copy of its files between the begin and the end of a backup, which then
// follows its log. PostgreSQL from npm has no pg_basebackup.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import {
  type EmbeddedPostgres,
  startPostgres,
} from '../../../apps/server/embedded-postgres/postgres.ts'
import { readAccess, writeAccess } from '../../../apps/server/embedded-postgres/postgres-access.ts'
import { onServer } from '../../../apps/server/src/infra/testing/database.ts'
import { until } from '../../support/until.ts'

/** What a running server has for itself. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts', 'pg_replslot', 'pg_wal', 'standby.signal']

/** Starts a standby in `folder` of the server in `primaryFolder`, and waits until it has caught up. */
export async function startStandby(
  primary: EmbeddedPostgres,
  { primaryFolder, folder }: { readonly primaryFolder: string; readonly folder: string },
): Promise<EmbeddedPostgres> {
  const data = join(folder, 'data')
  const password = readAccess(primaryFolder)?.password ?? ''
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  let maxConnections: number
  try {
    // Without it a checkpoint may remove log that another standby has not been sent yet.
    await client.query("alter system set wal_keep_size = '256MB'")
    await client.query('select pg_reload_conf()')
    maxConnections = await maxConnectionsOf(client)
    await client.query(`select pg_backup_start('standby', true)`)
    copyTree(primary.dataFolder, data, LEFT_OUT)
    for (const name of ['pg_wal', 'pg_replslot']) mkdirSync(join(data, name), { mode: 0o700 })
    const { rows } = await client.query<{ label: string }>(
      'select labelfile label from pg_backup_stop(false)',
    )
    writeFileSync(join(data, 'backup_label'), rows[0]?.label ?? '')
  } finally {
    await client.end()
  }
  writeFileSync(join(data, 'standby.signal'), '')
  const source = `host=127.0.0.1 port=${primary.port} user=tradepost password=${password}`
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = '${source}'\nsynchronous_standby_names = ''\n`,
  )
  writeAccess(folder, { password, port: 0 })
  const standby = await startPostgres({ folder, sharedBuffersMb: 64, maxConnections })
  await until('the standby follows', async () => {
    const following = await onServer(primary.url, `${FOLLOWING} where state = 'streaming'`)
    return following.length > 0
  })
  return standby
}

/** A standby that takes fewer than its primary does not recover. */
async function maxConnectionsOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ most: number }>(
    "select current_setting('max_connections')::integer most",
  )
  return rows[0]?.most ?? 100
}

const FOLLOWING = 'select from pg_stat_replication'

/** From now on every commit waits for the standby. */
export async function makeSynchronous(primary: EmbeddedPostgres): Promise<void> {
  await onServer(primary.url, `alter system set synchronous_standby_names = '*'`)
  await onServer(primary.url, 'select pg_reload_conf()')
  await until('commits wait for the standby', async () => {
    const waitedFor = await onServer(primary.url, `${FOLLOWING} where sync_state = 'sync'`)
    return waitedFor.length > 0
  })
}

/** From now on the standby receives nothing, and lacks what is committed. */
export async function holdBack(standby: EmbeddedPostgres): Promise<void> {
  await onServer(standby.url, `alter system set primary_conninfo = ''`)
  await onServer(standby.url, 'select pg_reload_conf()')
  await until('the standby receives nothing', async () => {
    const receiving = await onServer(standby.url, 'select from pg_stat_wal_receiver')
    return receiving.length === 0
  })
}

/** Resolves when it takes writes. */
export const promote = (standby: EmbeddedPostgres): Promise<unknown> =>
  onServer(standby.url, 'select pg_promote()')

/** Files that go while others are copied belong to what the log brings again. */
function copyTree(from: string, to: string, leftOut: readonly string[] = []): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (leftOut.includes(entry.name)) continue
    const [source, copy] = [join(from, entry.name), join(to, entry.name)]
    try {
      if (entry.isDirectory()) copyTree(source, copy)
      else copyFileSync(source, copy)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}
