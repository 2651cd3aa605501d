// The archive of the server's log, by which a copy can be brought to any later moment. The embedded server's
// is set here; a server of one's own has its own settings, which are only looked at.
import { chownSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { CannotStart } from '../../apps/server/src/infra/process/cannot-start.ts'
import type { Source } from './database.ts'
import type { CopyFolder } from './folder.ts'

/** At most so much is lost with the machine: a segment that is not full is archived after it. */
const ARCHIVE_SECONDS = 60
const FIRST_SEGMENT_MS = 30_000

/**
 * Whole or not at all, and again without harm: after a crash the server archives a segment that is there
 * already. Compressed, because most of a segment that is not full is zeros.
 */
const archiveCommand = ({ wal }: CopyFolder): string =>
  `test -f "${wal}/%f.gz" && gzip -dc "${wal}/%f.gz" | cmp -s - "%p" || ` +
  `{ test ! -f "${wal}/%f.gz" && gzip -1 -c "%p" > "${wal}/.%f.new" && sync "${wal}/.%f.new" && ` +
  `mv "${wal}/.%f.new" "${wal}/%f.gz"; }`

/** For the server that restores. */
export const restoreCommand = ({ wal }: CopyFolder): string =>
  `test -f "${wal}/%f.gz" && gzip -dc "${wal}/%f.gz" > "%p"`

export interface Archiving {
  /** The server archived somewhere else before: copies there lead to now and no further. */
  readonly isMoved: boolean
  /** As it was before, for a copy that failed. */
  undo(): Promise<void>
}

/** Makes the embedded server archive into the folder, and sees the first segment arrive. */
export async function archiveInto(
  { client, dataFolder }: Source,
  folder: CopyFolder,
): Promise<Archiving> {
  if (dataFolder !== null && process.getuid?.() === 0) {
    const { uid, gid } = statSync(dataFolder)
    chownSync(folder.wal, uid, gid)
  }
  const { rows } = await client.query<{ command: string; seconds: string }>(
    `select current_setting('archive_command') command,
       (select setting from pg_settings where name = 'archive_timeout') seconds`,
  )
  const before = rows[0] ?? { command: ARCHIVES_NOTHING, seconds: '0' }
  const set = async (command: string, seconds: string): Promise<void> => {
    await client.query(`alter system set archive_command = ${pg.escapeLiteral(command)}`)
    await client.query(`alter system set archive_timeout = ${pg.escapeLiteral(seconds)}`)
    await client.query('select pg_reload_conf()')
  }
  const undo = (): Promise<void> => set(before.command, before.seconds)
  const command = archiveCommand(folder)
  await set(command, String(ARCHIVE_SECONDS))
  try {
    await untilArchived(client, folder)
  } catch (error) {
    await undo()
    throw error
  }
  return { isMoved: ![command, ARCHIVES_NOTHING].includes(before.command), undo }
}

/** As the embedded server is made. */
const ARCHIVES_NOTHING = 'true'

async function untilArchived(client: Source['client'], folder: CopyFolder): Promise<void> {
  const { rows } = await client.query<{ segment: string }>(
    'select pg_walfile_name(pg_switch_wal()) segment',
  )
  const file = join(folder.wal, `${rows[0]?.segment}.gz`)
  const deadline = performance.now() + FIRST_SEGMENT_MS
  while (!existsSync(file)) {
    if (performance.now() > deadline) {
      throw new CannotStart(
        `The server archives nothing into ${folder.wal}: the end of postgres.log in its folder says why.`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** What is wrong with the archive of a server of one's own, in a sentence; null when it archives. */
export async function archiveProblem({ client }: Source): Promise<string | null> {
  const { rows } = await client.query<{ mode: string; isFailing: boolean; last: string | null }>(
    `select current_setting('archive_mode') mode, last_failed_wal last,
       coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) "isFailing"
     from pg_stat_archiver`,
  )
  const [archiver] = rows
  if (archiver?.mode === 'off') {
    return 'archive_mode of the server is off: the copy restores to its own end alone.'
  }
  if (archiver?.isFailing) return `The server fails to archive ${archiver.last}: see its log.`
  return null
}

/** The lines of postgresql.conf with which a server of one's own archives into the folder. */
export const archiveSettings = (folder: CopyFolder): string =>
  [
    'archive_mode = on',
    `archive_command = ${pg.escapeLiteral(archiveCommand(folder))}`,
    `archive_timeout = ${ARCHIVE_SECONDS}`,
  ].join('\n')
