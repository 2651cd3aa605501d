import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { AccountKind, MemberRole, TwoFactorMethod } from '../person.ts'
import { endLogInChallenges } from './challenges.ts'

export interface SessionRow {
  readonly id: string
  readonly personId: string
  readonly email: string
  readonly emailVerifiedAt: Date | null
  readonly twoFactorMethod: TwoFactorMethod | null
  readonly passkeys: number
  readonly factorRemovalAt: Date | null
  readonly accountId: string
  readonly accountKind: AccountKind
  readonly role: MemberRole
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly idleUntil: Date
  readonly expiresAt: Date
  readonly freshUntil: Date
  readonly hasSecondFactor: boolean
  readonly endedAt: Date | null
}

const FIND = sql(
  'people.find_session',
  `select s.id, s.person_id "personId", p.email, p.email_verified_at "emailVerifiedAt",
     p.two_factor_method "twoFactorMethod",
     (select count(*)::int from people.passkey k where k.person_id = p.id) passkeys,
     (select r.removes_at from people.factor_removal r where r.person_id = p.id and r.outcome is null) "factorRemovalAt", s.account_id "accountId", m.account_kind "accountKind", m.role,
     s.created_at "createdAt", s.last_seen_at "lastSeenAt", s.idle_until "idleUntil", s.expires_at "expiresAt",
     s.fresh_until "freshUntil", s.has_second_factor "hasSecondFactor", s.ended_at "endedAt"
   from (select * from people.session where token_hash = $1
         union all
         select * from people.session where previous_token_hash = $1 and previous_until > $2) s
     join people.person p on p.id = s.person_id
     join people.membership m on m.person_id = s.person_id and m.account_id = s.account_id and m.ended_at is null
   limit 1`,
)
/** By the hash of its token, or of the token before the last refresh while that is still good. */
export const findSession = async (
  db: Queryable,
  hash: Buffer,
  now: Date,
): Promise<SessionRow | null> => {
  const [row] = await db.query<SessionRow>(FIND, [hash, now])
  return row ?? null
}

const INSERT = sql(
  'people.insert_session',
  `insert into people.session (id, person_id, account_id, token_hash, created_at, last_seen_at, idle_until,
     expires_at, fresh_until, has_second_factor, address, user_agent)
   values ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11)`,
)
export interface NewSession {
  readonly id: string
  readonly personId: string
  readonly accountId: string
  readonly tokenHash: Buffer
  readonly at: Date
  readonly idleUntil: Date
  readonly expiresAt: Date
  readonly freshUntil: Date
  readonly hasSecondFactor: boolean
  readonly address: string
  readonly userAgent: string
}
export const insertSession = async (tx: Tx, s: NewSession): Promise<void> => {
  await tx.query(INSERT, [
    ...[s.id, s.personId, s.accountId, s.tokenHash, s.at, s.idleUntil, s.expiresAt, s.freshUntil],
    ...[s.hasSecondFactor, s.address, s.userAgent],
  ])
}

const TOUCH = sql(
  'people.touch_session',
  `update people.session set last_seen_at = $2, idle_until = $3 where id = $1 and ended_at is null and last_seen_at < $2`,
)
export const touchSession = async (
  db: Queryable,
  { id, at, idleUntil }: { readonly id: string; readonly at: Date; readonly idleUntil: Date },
): Promise<void> => {
  await db.query(TOUCH, [id, at, idleUntil])
}

const REPLACE_TOKEN = sql(
  'people.replace_session_token',
  `update people.session set previous_token_hash = token_hash, previous_until = $4, token_hash = $3
   where id = $1 and token_hash = $2 and ended_at is null returning id`,
)
/** False when another request has replaced it already. */
export const replaceToken = async (
  db: Queryable,
  change: {
    readonly id: string
    readonly oldHash: Buffer
    readonly newHash: Buffer
    readonly previousUntil: Date
  },
): Promise<boolean> => {
  const { id, oldHash, newHash, previousUntil } = change
  return (await db.query(REPLACE_TOKEN, [id, oldHash, newHash, previousUntil])).length > 0
}

const REFRESH_FACTOR = sql(
  'people.note_factor',
  `update people.session set fresh_until = $2, has_second_factor = has_second_factor or $3
   where id = $1 and ended_at is null`,
)
export const noteFactor = async (
  tx: Tx,
  id: string,
  { freshUntil, isStrong }: { readonly freshUntil: Date; readonly isStrong: boolean },
): Promise<void> => {
  await tx.query(REFRESH_FACTOR, [id, freshUntil, isStrong])
}

const END = sql(
  'people.end_session',
  `update people.session set ended_at = $3 where id = $1 and person_id = $2 and ended_at is null returning id`,
)
export const endSession = async (
  db: Queryable,
  { id, personId, at }: { readonly id: string; readonly personId: string; readonly at: Date },
): Promise<boolean> => (await db.query(END, [id, personId, at])).length > 0

const IS_LIVE = sql(
  'people.is_live_session',
  'select from people.session where id = $1 and person_id = $2 and ended_at is null',
)
export const isLiveSession = async (
  tx: Tx,
  { personId, sessionId }: { readonly personId: string; readonly sessionId: string },
): Promise<boolean> => (await tx.query(IS_LIVE, [sessionId, personId])).length > 0

const READS_ACCOUNT = sql(
  'people.session_reads_account',
  `select from people.session s
     join people.membership m on m.person_id = s.person_id and m.account_id = s.account_id and m.ended_at is null
   where s.id = $1 and s.person_id = $2 and s.ended_at is null and s.idle_until > $4 and s.expires_at > $4
     and (s.account_id = $3
       or (m.role = 'administrator' and exists (
         select from people.impersonation i
         where i.session_id = s.id and i.account_id = $3 and i.ended_at is null and i.expires_at > $4)))`,
)
/** Whether it is good now, and of a member of the account or of an administrator who looks at it. */
export const sessionReadsAccount = async (
  db: Queryable,
  of: {
    readonly personId: string
    readonly sessionId: string
    readonly accountId: string
    readonly at: Date
  },
): Promise<boolean> =>
  (await db.query(READS_ACCOUNT, [of.sessionId, of.personId, of.accountId, of.at])).length > 0

const END_OTHERS = sql(
  'people.end_other_sessions',
  `update people.session set ended_at = $3 where person_id = $1 and ended_at is null and id is distinct from $2::uuid returning id`,
)
/** All but `keepId`, and log-ins that wait for a second factor; how many sessions. */
export async function endOtherSessions(
  tx: Tx,
  {
    personId,
    keepId,
    at,
  }: { readonly personId: string; readonly keepId: string | null; readonly at: Date },
): Promise<number> {
  await endLogInChallenges(tx, personId)
  return (await tx.query(END_OTHERS, [personId, keepId, at])).length
}

const END_OF_MEMBER = sql(
  'people.end_sessions_of_member',
  'update people.session set ended_at = $3 where person_id = $1 and account_id = $2 and ended_at is null',
)
/** Those that a person has for one account. */
export const endSessionsOfMember = async (
  tx: Tx,
  {
    personId,
    accountId,
    at,
  }: { readonly personId: string; readonly accountId: string; readonly at: Date },
): Promise<void> => {
  await tx.query(END_OF_MEMBER, [personId, accountId, at])
}

export interface SessionSummary {
  readonly id: string
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly address: string
  readonly userAgent: string
}
const LIST = sql(
  'people.list_sessions',
  `select id, created_at "createdAt", last_seen_at "lastSeenAt", address, user_agent "userAgent" from people.session
   where person_id = $1 and ended_at is null and idle_until > $2 and expires_at > $2
   order by created_at desc, id limit 100`,
)
/** Those that are still good, newest first. */
export const listSessions = (
  db: Queryable,
  personId: string,
  now: Date,
): Promise<SessionSummary[]> => db.query<SessionSummary>(LIST, [personId, now])
