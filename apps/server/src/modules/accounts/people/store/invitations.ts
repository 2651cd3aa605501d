import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { AccountKind, MemberRole } from '../person.ts'

export interface Invitation {
  readonly id: string
  readonly accountId: string
  readonly accountKind: AccountKind
  readonly email: string
  readonly role: MemberRole
  /** As the mail names them: an e-mail address, or the operator of the service. */
  readonly invitedBy: string
  /** The member who sent it; null: the operator of the service. */
  readonly inviterId: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

const COLUMNS = `id, account_id "accountId", account_kind "accountKind", email, role, invited_by "invitedBy",
  inviter_id "inviterId", created_at "createdAt", expires_at "expiresAt"`

const INSERT = sql(
  'people.insert_invitation',
  `insert into people.invitation
     (id, token_hash, account_id, account_kind, email, role, invited_by, inviter_id, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)
export const insertInvitation = async (
  tx: Tx,
  { tokenHash, ...invitation }: Invitation & { readonly tokenHash: Buffer },
): Promise<void> => {
  const { id, accountId, accountKind, email, role, invitedBy, inviterId } = invitation
  const { createdAt, expiresAt } = invitation
  const values = [id, tokenHash, accountId, accountKind, email, role, invitedBy, inviterId]
  await tx.query(INSERT, [...values, createdAt, expiresAt])
}

const COUNT = sql(
  'people.count_invitations',
  `select count(*)::int n from people.invitation where account_id = $1 and created_at > $2`,
)
export const countInvitations = async (
  db: Queryable,
  accountId: string,
  after: Date,
): Promise<number> => {
  const [row] = await db.query<{ n: number }>(COUNT, [accountId, after])
  return row?.n ?? 0
}

const LIST = sql(
  'people.list_invitations',
  `select ${COLUMNS} from people.invitation
   where account_id = $1 and accepted_at is null and revoked_at is null and expires_at > $2
   order by created_at desc, id limit 100`,
)
/** Those that can still be accepted, newest first. */
export const listInvitations = (
  db: Queryable,
  accountId: string,
  now: Date,
): Promise<Invitation[]> => db.query<Invitation>(LIST, [accountId, now])

const FIND = sql(
  'people.find_invitation',
  `select ${COLUMNS} from people.invitation
   where token_hash = $1 and accepted_at is null and revoked_at is null and expires_at > $2`,
)
export const findInvitation = async (
  db: Queryable,
  tokenHash: Buffer,
  now: Date,
): Promise<Invitation | null> => {
  const [row] = await db.query<Invitation>(FIND, [tokenHash, now])
  return row ?? null
}

const ACCEPT = sql(
  'people.accept_invitation',
  `update people.invitation set accepted_at = $2
   where token_hash = $1 and accepted_at is null and revoked_at is null and expires_at > $2 returning ${COLUMNS}`,
)
/** Null when it is unknown, accepted, revoked or expired. */
export const spendInvitation = async (
  tx: Tx,
  tokenHash: Buffer,
  at: Date,
): Promise<Invitation | null> => {
  const [row] = await tx.query<Invitation>(ACCEPT, [tokenHash, at])
  return row ?? null
}

const REVOKE = sql(
  'people.revoke_invitation',
  `update people.invitation set revoked_at = $3
   where account_id = $1 and (id = $2::uuid or lower(email) = lower($4)) and accepted_at is null and revoked_at is null
   returning ${COLUMNS}`,
)
/** By its id, or all of an e-mail address. Null when there is none that is open. */
export const revokeInvitations = async (
  tx: Tx,
  {
    accountId,
    id = null,
    email = null,
    at,
  }: {
    readonly accountId: string
    readonly id?: string | null
    readonly email?: string | null
    readonly at: Date
  },
): Promise<Invitation | null> => {
  const [row] = await tx.query<Invitation>(REVOKE, [accountId, id, at, email])
  return row ?? null
}

const REVOKE_ALL = sql(
  'people.revoke_all_invitations',
  `update people.invitation set revoked_at = $2
   where account_id = $1 and accepted_at is null and revoked_at is null`,
)
export const revokeAllInvitations = async (tx: Tx, accountId: string, at: Date): Promise<void> => {
  await tx.query(REVOKE_ALL, [accountId, at])
}

const REVOKE_OF_MEMBER = sql(
  'people.revoke_invitations_of_member',
  `update people.invitation set revoked_at = $3
   where account_id = $1 and accepted_at is null and revoked_at is null
     and (inviter_id = $2 or lower(email) = (select lower(email) from people.person where id = $2))`,
)
/** Those to an account that a member has sent or was sent. */
export const revokeInvitationsOf = async (
  tx: Tx,
  {
    accountId,
    personId,
    at,
  }: { readonly accountId: string; readonly personId: string; readonly at: Date },
): Promise<void> => {
  await tx.query(REVOKE_OF_MEMBER, [accountId, personId, at])
}
