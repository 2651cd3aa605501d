// The commands of docs/backup.md and of the runbook, as an operator runs them, and what they need.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import {
  type EmbeddedPostgres,
  startPostgres,
} from '../../apps/server/embedded-postgres/postgres.ts'
import { copyFolderAt, listArchived } from '../../tools/backup/folder.ts'
import type { OwnInstallation } from '../endurance/worlds/installation.ts'
import { ROOT, startChild } from '../support/child.ts'
import type { Settings } from '../support/server.ts'
import { until } from '../support/until.ts'

async function run(program: string, args: readonly string[], settings: Settings): Promise<string> {
  const child = startChild(join(ROOT, program), args, settings)
  const { code } = await child.exited
  assert.equal(code, 0, `${program} ends with ${code}:\n${child.said()}`)
  return child.stdout()
}

const keyOf = ({ settings: { SECRETS_KEY = '' } }: OwnInstallation): string => SECRETS_KEY
const copiesOf = ({ folder }: OwnInstallation): string => join(folder, 'copies')

/** `npm run backup`: a copy of the embedded database, which archives its log from now on. */
export async function copyDatabase(around: OwnInstallation): Promise<void> {
  await run('tools/backup/copy.ts', ['--to', copiesOf(around)], {
    ...{ DATA_DIR: around.folder, SECRETS_KEY: keyOf(around) },
  })
}

/** What was committed until now can be restored. Of what follows nothing is archived: the machine fails. */
export async function endArchive(around: OwnInstallation): Promise<void> {
  const client = new pg.Client({ connectionString: around.postgres.url })
  await client.connect()
  try {
    const { rows } = await client.query<{ segment: string }>(
      'select pg_walfile_name(pg_switch_wal()) segment',
    )
    await until('the log is archived', () =>
      listArchived(copyFolderAt(copiesOf(around))).some(
        ({ segment }) => segment === rows[0]?.segment,
      ),
    )
    await client.query("alter system set archive_command = 'false'")
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}

/** Every process ends at once, and the files of the database are gone. */
export async function destroy({ apis, workers, postgres, folder }: OwnInstallation): Promise<void> {
  const pids = [...apis.pids(), ...workers.pids()]
  postgres.abandon()
  for (const pid of [...pids, postgres.pid()]) process.kill(pid, 'SIGKILL')
  await Promise.all([apis.gone(pids), workers.gone(pids), postgres.stop()])
  rmSync(join(folder, 'postgres'), { recursive: true })
}

export interface Restored {
  readonly postgres: EmbeddedPostgres
  /** That processes have from now on. */
  readonly settings: Settings
}

/** Steps 3 to 5 of the runbook. */
export async function restoreDatabase(
  around: OwnInstallation,
  { hasIntents }: { readonly hasIntents: boolean },
): Promise<Restored> {
  const data = join(around.folder, 'restored')
  const wanted = ['--from', copiesOf(around), '--to', 'latest', '--data', data]
  await run('tools/backup/restore.ts', wanted, { SECRETS_KEY: keyOf(around) })
  for (const name of hasIntents ? ['recovery-mark', 'intents'] : []) {
    assert.ok(existsSync(join(around.folder, name)))
    execFileSync('cp', ['-a', join(around.folder, name), data])
  }
  const postgres = await startPostgres({
    ...{ folder: join(data, 'postgres'), sharedBuffersMb: 64, maxConnections: 100 },
  })
  const settings = { DATABASE_URL: postgres.url, DATA_DIR: data }
  await run('apps/server/src/main/migrate.ts', [], settings)
  await auditBooks(postgres)
  return { postgres, settings }
}

export const auditBooks = ({ url }: Pick<EmbeddedPostgres, 'url'>): Promise<string> =>
  run('tools/audit.ts', [url], {})
