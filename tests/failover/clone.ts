// Makes a member of the cluster from the leader's files, on the same machine: for a PostgreSQL without
// `pg_basebackup`. Patroni calls it with `--datadir` and `--connstring`.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { openClient } from './client.ts'

const { values } = parseArgs({
  options: {
    datadir: { type: 'string', default: '' },
    connstring: { type: 'string', default: '' },
    scope: { type: 'string' },
    role: { type: 'string' },
  },
})
const port = /\bport=(\d+)/.exec(values.connstring)?.[1]
if (port === undefined || values.datadir === '') throw new Error('clone: no leader, or no folder')
const target = values.datadir

/** What a running server writes for itself, or a copy of it must not have. */
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label|standby\.signal|(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/.*|.*pgsql_tmp.*)$/

const client = await openClient(Number(port), process.env.DRILL_PASSWORD ?? '')
try {
  const { rows } = await client.query("select current_setting('data_directory') source")
  const { source } = rows[0] as { source: string }
  await client.query("select pg_backup_start('clone', true)")
  copy(source, target, (name) => !LEFT_OUT.test(name))
  const { rows: stopped } = await client.query(
    'select labelfile from pg_backup_stop(wait_for_archive => false)',
  )
  writeFileSync(join(target, 'backup_label'), (stopped[0] as { labelfile: string }).labelfile)
  copy(join(source, 'pg_wal'), join(target, 'pg_wal'), (name) =>
    /^$|^[0-9A-F]{24}$|^[0-9A-F]{8}\.history$/.test(name),
  )
} finally {
  await client.end()
}

/** A file that went away meanwhile belongs to no row that the log does not bring back. */
function copy(from: string, to: string, isWanted: (name: string) => boolean, root = from): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copied] = [join(from, entry.name), join(to, entry.name)]
    if (!isWanted(relative(root, source))) continue
    if (entry.isDirectory()) {
      copy(source, copied, isWanted, root)
      continue
    }
    try {
      cpSync(source, copied)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}
