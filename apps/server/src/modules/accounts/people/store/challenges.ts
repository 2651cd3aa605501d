import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { ChallengeMethod } from '../person.ts'

export interface ChallengeRow {
  readonly id: string
  readonly personId: string
  readonly sessionId: string | null
  readonly methods: readonly ChallengeMethod[]
  readonly codeSignature: string | null
  /** Of codes by mail that are being set up: it proves nothing else. */
  readonly isSetup: boolean
}

const COLUMNS = `id, person_id "personId", session_id "sessionId", methods, code_signature "codeSignature", is_setup "isSetup"`

const INSERT = sql(
  'people.insert_challenge',
  `insert into people.challenge
     (id, person_id, session_id, methods, code_signature, is_setup, codes_mailed, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, ($5::text is not null)::int, $7, $8)`,
)
export const insertChallenge = async (
  tx: Tx,
  challenge: ChallengeRow & { readonly at: Date; readonly expiresAt: Date },
): Promise<void> => {
  const { id, personId, sessionId, methods, codeSignature, isSetup, at, expiresAt } = challenge
  const values = [id, personId, sessionId, methods, codeSignature, isSetup, at, expiresAt]
  await tx.query(INSERT, values)
}

const RECENT = sql(
  'people.find_recent_challenge',
  `select ${COLUMNS} from people.challenge
   where person_id = $1 and session_id = $2 and not is_setup and solved_at is null and tries < 5
     and created_at > $3 and expires_at > $4
   order by created_at desc limit 1`,
)
/**
 * One of the same session that can still be solved: it is used again, so that a page cannot flood a
 * mailbox.
 */
export const findRecentChallenge = async (
  tx: Tx,
  {
    personId,
    sessionId,
    after,
    now,
  }: { personId: string; sessionId: string; after: Date; now: Date },
): Promise<ChallengeRow | null> => {
  const [row] = await tx.query<ChallengeRow>(RECENT, [personId, sessionId, after, now])
  return row ?? null
}

const COUNT_RECENT = sql(
  'people.count_recent_codes',
  `select coalesce(sum(codes_mailed), 0)::int n from people.challenge where person_id = $1 and created_at > $2`,
)
/** Codes that were mailed for challenges made since then. */
export const countRecentCodes = async (
  db: Queryable,
  personId: string,
  after: Date,
): Promise<number> => {
  const [row] = await db.query<{ n: number }>(COUNT_RECENT, [personId, after])
  return row?.n ?? 0
}

const FIND = sql('people.find_challenge', `select ${COLUMNS} from people.challenge where id = $1`)
export const findChallenge = async (db: Queryable, id: string): Promise<ChallengeRow | null> => {
  const [row] = await db.query<ChallengeRow>(FIND, [id])
  return row ?? null
}

const REPLACE_CODE = sql(
  'people.replace_code',
  `update people.challenge set code_signature = $2, codes_mailed = codes_mailed + 1
   where id = $1 and codes_mailed < 3 and solved_at is null and tries < 5 and expires_at > $3
   returning expires_at "expiresAt"`,
)
/** The code that was mailed before works no more. Null after three codes, and where none can be given. */
export const replaceCode = async (
  tx: Tx,
  { id, signature, at }: { readonly id: string; readonly signature: string; readonly at: Date },
): Promise<{ readonly expiresAt: Date } | null> => {
  const [row] = await tx.query<{ expiresAt: Date }>(REPLACE_CODE, [id, signature, at])
  return row ?? null
}

const TAKE_TRY = sql(
  'people.take_try',
  `update people.challenge set tries = tries + 1
   where id = $1 and tries < 5 and solved_at is null and expires_at > $2 returning ${COLUMNS}`,
)
/**
 * Counts a try before the code is looked at. Null when the challenge is unknown, solved, expired or
 * used up.
 */
export const takeTry = async (
  db: Queryable,
  id: string,
  now: Date,
): Promise<ChallengeRow | null> => {
  const [row] = await db.query<ChallengeRow>(TAKE_TRY, [id, now])
  return row ?? null
}

const COUNT_TRIES = sql(
  'people.count_unsolved_tries',
  `select coalesce(sum(c.tries), 0)::int "all",
     coalesce(sum(c.tries) filter (where c.created_at > p.password_changed_at), 0)::int present
   from people.challenge c join people.person p on p.id = c.person_id
   where c.person_id = $1 and c.solved_at is null and c.created_at > $2`,
)
/** Of the challenges of a person that were not solved: made since then, and with the present password. */
export const countUnsolvedTries = async (
  db: Queryable,
  personId: string,
  after: Date,
): Promise<{ readonly all: number; readonly present: number }> => {
  const [row] = await db.query<{ all: number; present: number }>(COUNT_TRIES, [personId, after])
  return row ?? { all: 0, present: 0 }
}

const SOLVE = sql(
  'people.solve_challenge',
  `update people.challenge set solved_at = $2
   where id = $1 and solved_at is null and expires_at > $2 returning id`,
)
/** False when another request has solved it, or has ended it since the try was counted. */
export const solveChallenge = async (tx: Tx, id: string, at: Date): Promise<boolean> =>
  (await tx.query(SOLVE, [id, at])).length > 0

const IS_OPEN = sql(
  'people.is_open_challenge',
  'select from people.challenge where id = $1 and solved_at is null and expires_at > $2',
)
/** False when it was solved, or ended, while its person was waited for. */
export const isOpenChallenge = async (tx: Tx, id: string, at: Date): Promise<boolean> =>
  (await tx.query(IS_OPEN, [id, at])).length > 0

const END_OF_LOG_INS = sql(
  'people.end_log_in_challenges',
  `update people.challenge set expires_at = created_at
   where person_id = $1 and session_id is null and solved_at is null and expires_at > created_at`,
)
/**
 * Log-ins that wait for a second factor go on no more. They expire with their creation, so that a try that
 * began before this finds them expired, too.
 */
export const endLogInChallenges = async (db: Queryable, personId: string): Promise<void> => {
  await db.query(END_OF_LOG_INS, [personId])
}
