// An administrator looks at an account with its own pages: reads only, for an hour, beside the session of
// their own.
import { type Db, type Queryable, sql, type Tx } from '#infra/database/db'
import { newId } from '#kernel/id'
import type { AccountKind } from './person.ts'
import { hashToken, newToken } from './token.ts'

/** Whose pages an administrator sees; the role is always to read only. */
export interface Impersonation {
  readonly id: string
  readonly accountId: string
  readonly accountKind: Exclude<AccountKind, 'admin'>
  readonly reason: string
  readonly expiresAt: Date
}

const LASTS_MS = 60 * 60_000

const INSERT = sql(
  'people.begin_impersonation',
  `with ended as (
     update people.impersonation set ended_at = $7 where session_id = $2 and ended_at is null)
   insert into people.impersonation (id, session_id, account_id, account_kind, token_hash, reason, began_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

/** The token is for a cookie of its own; an impersonation of this session that is under way ends. */
export async function beginImpersonation(
  tx: Tx,
  {
    sessionId,
    at,
    ...of
  }: Pick<Impersonation, 'accountId' | 'accountKind' | 'reason'> & {
    /** The administrator’s own. */
    readonly sessionId: string
    readonly at: Date
  },
): Promise<Impersonation & { readonly token: string }> {
  const { token, hash } = newToken()
  const id = newId(at.getTime())
  const expiresAt = new Date(at.getTime() + LASTS_MS)
  await tx.query(INSERT, [
    ...[id, sessionId, of.accountId, of.accountKind, hash],
    ...[of.reason, at, expiresAt],
  ])
  return { id, ...of, expiresAt, token }
}

const FIND = sql(
  'people.find_impersonation',
  `select id, account_id "accountId", account_kind "accountKind", reason, expires_at "expiresAt"
   from people.impersonation
   where token_hash = $1 and session_id = $2 and ended_at is null and expires_at > $3`,
)
/** Null when it has ended, ran out, or belongs to another session. */
export async function recallImpersonation(
  db: Db,
  {
    token,
    sessionId,
    now,
  }: { readonly token: string; readonly sessionId: string; readonly now: Date },
): Promise<Impersonation | null> {
  const [found] = await db.query<Impersonation>(FIND, [hashToken(token), sessionId, now])
  return found ?? null
}

const END = sql(
  'people.end_impersonation',
  'update people.impersonation set ended_at = $2 where id = $1 and ended_at is null returning id',
)
/** False when it has ended already. */
export const endImpersonation = async (
  db: Queryable,
  { id, at }: { readonly id: string; readonly at: Date },
): Promise<boolean> => (await db.query(END, [id, at])).length > 0
