// What the database knows of its copies: when the last was taken and restored, and whether the archive of its
// log goes on. The command that copies writes it down; a copy by another program is recorded the same way.
import { type Queryable, sql, type Tx } from './db.ts'
import { readStoredValue, writeStoredValue } from './stored-values.ts'

const VALUE_NAME = 'backup'

interface Recorded {
  /** ISO 8601. */
  readonly takenAt?: string
  readonly rehearsedAt?: string
}

export interface BackupState {
  readonly takenAt: Date | null
  readonly rehearsedAt: Date | null
  /** The newest attempt to archive a segment of the log failed. */
  readonly isArchiveFailing: boolean
}

export async function readBackups(db: Queryable): Promise<BackupState> {
  const stored = await readStoredValue<Recorded>(db, VALUE_NAME)
  const [archiver] = await db.query<{ isFailing: boolean }>(ARCHIVER)
  return {
    takenAt: dateOf(stored?.takenAt),
    rehearsedAt: dateOf(stored?.rehearsedAt),
    isArchiveFailing: archiver?.isFailing ?? false,
  }
}

const dateOf = (text: string | undefined): Date | null => (text ? new Date(text) : null)

/** A moment that is left out stays as it was recorded before. */
export async function recordBackup(
  tx: Tx,
  { takenAt, rehearsedAt }: { readonly takenAt?: Date | null; readonly rehearsedAt?: Date | null },
): Promise<void> {
  await writeStoredValue(tx, VALUE_NAME, {
    ...(await readStoredValue<Recorded>(tx, VALUE_NAME)),
    ...(takenAt ? { takenAt: takenAt.toISOString() } : {}),
    ...(rehearsedAt ? { rehearsedAt: rehearsedAt.toISOString() } : {}),
  })
}

const ARCHIVER = sql(
  'infra_archiver',
  `select current_setting('archive_mode') <> 'off'
     and coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) "isFailing"
   from pg_stat_archiver`,
)
