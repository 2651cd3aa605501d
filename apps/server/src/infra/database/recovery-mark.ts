// A mark that is kept both in the database and outside it. The database commits it first. So when the
// database does not know the mark that is kept outside, it was restored from a copy older than the mark.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../process/clock.ts'
import { createMemo } from '../process/memo.ts'
import { type Db, type Queryable, sql } from './db.ts'

/** Where the mark is kept outside the database. */
export interface MarkFile {
  read(): string | null
  /** The whole text or none of it. */
  write(text: string): void
}

export interface RecoveryMark {
  /** False when the database lost the mark. True as long as there is none to lose. */
  isKnown(db: Queryable): Promise<boolean>
  /** The same, and `readHistory`, of one moment and in one statement. */
  look(db: Queryable): Promise<{ readonly history: string; readonly isKnown: boolean }>
  /** Commits a new mark, and then keeps it outside. */
  advance(): Promise<void>
}

/**
 * Which history the database is on: the identity of its cluster and the timeline of its log. A promoted
 * standby and a point-in-time recovery begin a new timeline, a dump is restored into another cluster. The
 * name of the current log file is right from the promotion on, the control file only after a checkpoint.
 */
export async function readHistory(db: Queryable): Promise<string> {
  const [row] = await db.query<{ history: string }>(READ_HISTORY)
  return row?.history ?? ''
}

/**
 * Several processes may share a file: the mark of any of them will do, and each keeps its last three in the
 * database. So a file that is one mark behind, because a write was lost with the machine, still holds a mark
 * that the database knows.
 */
export function openRecoveryMark({
  db,
  clock,
  file,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly file: MarkFile
}): RecoveryMark {
  let current = readToken(file)
  const own: string[] = []
  return {
    isKnown: async (at) => current === null || (await at.query(FIND, [current])).length > 0,
    look: async (at) => {
      const [row] = await at.query<{ history: string; isKnown: boolean }>(LOOK, [current])
      return { history: row?.history ?? '', isKnown: row?.isKnown ?? false }
    },
    advance: async () => {
      const token = randomUUID()
      const forgotten = own.length < KEPT ? null : (own.shift() ?? null)
      await db.query(INSERT, [token, clock.now(), forgotten])
      file.write(`${token}\n`)
      own.push(token)
      current = token
    },
  }
}

/**
 * For a process that decides about no gate: false while the database lacks the mark outside, until a process
 * that decides has closed the gates and replaced it. Asked at every turn, it reads once a second.
 */
export function createMarkReader({
  db,
  clock,
  file,
  onUnknown,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly file: Pick<MarkFile, 'read'>
  /** Once for each mark. */
  onUnknown(): void
}): () => Promise<boolean> {
  let reported: string | null = null
  const isKnown = async (): Promise<boolean> => {
    const token = readToken(file)
    if (token === null || (await db.query(FIND, [token])).length > 0) return true
    // Each process forgets all but its last three: another one may be there by now.
    if (readToken(file) !== token) return isKnown()
    if (reported !== token) onUnknown()
    reported = token
    return false
  }
  return createMemo(isKnown, { clock, freshMs: 1000 })
}

const KEPT = 3
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** When the newest mark of any process was committed: until it is advanced, the age of the database. */
export async function findNewestMark(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(FIND_NEWEST)
  return row?.at ?? null
}

/** A damaged file holds no mark: writes are atomic, so this is not the trace of a crash. */
function readToken(file: Pick<MarkFile, 'read'>): string | null {
  const text = file.read()?.trim() ?? ''
  return UUID.test(text) ? text : null
}

/** As SQL. */
export const HISTORY = `select system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) history
   from pg_control_system()`
const READ_HISTORY = sql('infra.read_history', HISTORY)
const FIND = sql('infra.find_recovery_mark', 'select from infra.recovery_mark where token = $1')
const LOOK = sql(
  'infra.look_at_recovery_mark',
  `select now.history, $1::uuid is null or exists (select from infra.recovery_mark where token = $1) "isKnown"
   from (${HISTORY}) now`,
)
const FIND_NEWEST = sql('infra.find_newest_mark', 'select max(at) at from infra.recovery_mark')
const INSERT = sql(
  'infra.insert_recovery_mark',
  `with forgotten as (delete from infra.recovery_mark where token = $3)
   insert into infra.recovery_mark (token, at) values ($1, $2)`,
)
