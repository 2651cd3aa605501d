import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { AccountKind, MemberRole, Membership, TwoFactorMethod } from '../person.ts'
import type { ChatAccount } from '../ports.ts'

const INSERT = sql(
  'people.insert_membership',
  `insert into people.membership as m (person_id, account_id, account_kind, role, created_at)
   values ($1, $2, $3, $4, $5)
   on conflict (person_id, account_id) do update set role = excluded.role, created_at = excluded.created_at, ended_at = null
     where m.ended_at is not null
   returning person_id`,
)
/** False when the person is a member already. A membership that has ended begins again. */
export const insertMembership = async (
  tx: Tx,
  membership: Membership & { readonly personId: string; readonly at: Date },
): Promise<boolean> => {
  const { personId, accountId, accountKind, role, at } = membership
  return (await tx.query(INSERT, [personId, accountId, accountKind, role, at])).length > 0
}

const OF_PERSON = sql(
  'people.list_memberships',
  `select account_id "accountId", account_kind "accountKind", role from people.membership
   where person_id = $1 and ended_at is null order by created_at, account_id limit 100`,
)
/** The oldest first: a login begins there. */
export const listMemberships = (db: Queryable, personId: string): Promise<Membership[]> =>
  db.query<{ accountId: string; accountKind: AccountKind; role: MemberRole }>(OF_PERSON, [personId])

const ADMINISTERS = sql(
  'people.administers',
  `select exists (select from people.membership
     where person_id = $1 and account_kind = 'admin' and ended_at is null) "is"`,
)
/** Whether the person administers the service, with whichever account this session is. */
export const isAdministrator = async (db: Queryable, personId: string): Promise<boolean> => {
  const [row] = await db.query<{ is: boolean }>(ADMINISTERS, [personId])
  return row?.is ?? false
}

export interface Member {
  readonly personId: string
  readonly email: string
  readonly role: MemberRole
  readonly since: Date
  readonly twoFactorMethod: TwoFactorMethod | null
  readonly passkeys: number
  readonly lastSeenAt: Date | null
}

const OF_ACCOUNT = sql(
  'people.list_members',
  `select p.id "personId", p.email, m.role, m.created_at since, p.two_factor_method "twoFactorMethod",
     (select count(*)::int from people.passkey k where k.person_id = p.id) passkeys,
     (select max(s.last_seen_at) from people.session s where s.person_id = p.id and s.account_id = m.account_id) "lastSeenAt"
   from people.membership m join people.person p on p.id = m.person_id
   where m.account_id = $1 and m.ended_at is null order by m.created_at, p.id limit 1000`,
)
/** The oldest first. */
export const listMembers = (db: Queryable, accountId: string): Promise<Member[]> =>
  db.query<Member>(OF_ACCOUNT, [accountId])

const HAS_MEMBER = sql(
  'people.has_member',
  `select exists (select from people.membership m join people.person p on p.id = m.person_id
     where m.account_id = $1 and lower(p.email) = lower($2) and m.ended_at is null) "is"`,
)
/** Whether the person of this e-mail address is a member. */
export const hasMember = async (tx: Tx, accountId: string, email: string): Promise<boolean> => {
  const [row] = await tx.query<{ is: boolean }>(HAS_MEMBER, [accountId, email])
  return row?.is ?? false
}

export interface LockedMember {
  readonly personId: string
  readonly role: MemberRole
}

const LOCK = sql(
  'people.lock_members',
  `select person_id "personId", role from people.membership
   where account_id = $1 and ended_at is null order by person_id for update`,
)
/** All members of an account, locked until the transaction ends: of two owners at once one stays. */
export const lockMembers = (tx: Tx, accountId: string): Promise<LockedMember[]> =>
  tx.query<LockedMember>(LOCK, [accountId])

const LOCK_ROLE = sql(
  'people.lock_role',
  `select role from people.membership where person_id = $1 and account_id = $2 and ended_at is null for share`,
)
/** Until the transaction ends the member keeps the role. Null: a member no more. */
export async function lockRole(
  tx: Tx,
  { personId, accountId }: { readonly personId: string; readonly accountId: string },
): Promise<MemberRole | null> {
  const [row] = await tx.query<{ role: MemberRole }>(LOCK_ROLE, [personId, accountId])
  return row?.role ?? null
}

const SET_ROLE = sql(
  'people.set_member_role',
  `update people.membership set role = $3 where person_id = $1 and account_id = $2 and ended_at is null`,
)
export const setRole = async (
  tx: Tx,
  {
    personId,
    accountId,
    role,
  }: { readonly personId: string; readonly accountId: string; readonly role: MemberRole },
): Promise<void> => {
  await tx.query(SET_ROLE, [personId, accountId, role])
}

const END = sql(
  'people.end_membership',
  `with ended as (
     update people.membership set ended_at = $3
     where person_id = $1 and account_id = $2 and ended_at is null returning person_id, account_id)
   delete from people.saved_view v using ended e
   where v.person_id = e.person_id and v.account_id = e.account_id`,
)
/** What the member saved for the account goes with it. */
export const endMembership = async (
  tx: Tx,
  {
    personId,
    accountId,
    at,
  }: { readonly personId: string; readonly accountId: string; readonly at: Date },
): Promise<void> => {
  await tx.query(END, [personId, accountId, at])
}

const OWNER = sql(
  'people.find_owner',
  `select p.email_verified_at "emailVerifiedAt", p.two_factor_method "twoFactorMethod",
     (select count(*)::int from people.passkey k where k.person_id = p.id) passkeys,
     (select json_build_object('id', c.chat_user_id, 'username', c.username, 'discriminator', c.discriminator, 'avatar', c.avatar)
      from people.chat_link c where c.person_id = p.id) chat
   from people.membership m join people.person p on p.id = m.person_id
   where m.account_id = $1 and m.ended_at is null and m.role in ('owner', 'administrator') order by m.created_at, m.person_id limit 1`,
)
export interface Owner {
  readonly emailVerifiedAt: Date | null
  readonly twoFactorMethod: TwoFactorMethod | null
  readonly passkeys: number
  readonly chat: ChatAccount | null
}
/** The first of an account's owners. */
export const findOwner = async (db: Queryable, accountId: string): Promise<Owner | null> => {
  const [row] = await db.query<Owner>(OWNER, [accountId])
  return row ?? null
}

const ADDRESSES = sql(
  'people.list_addresses',
  `select p.email from people.membership m join people.person p on p.id = m.person_id
   where m.account_id = $1 and m.ended_at is null and m.role = any ($2) and p.email_verified_at is not null
   order by m.created_at, p.id limit 100`,
)
const ADMINISTRATORS = sql(
  'people.list_administrator_addresses',
  `select p.email from people.membership m join people.person p on p.id = m.person_id
   where m.role = 'administrator' and m.ended_at is null and p.email_verified_at is not null
   order by m.created_at, p.id limit 100`,
)
/** Confirmed e-mail addresses of the administrators of the service. */
export const listAdministratorAddresses = async (db: Queryable): Promise<string[]> =>
  (await db.query<{ email: string }>(ADMINISTRATORS)).map(({ email }) => email)

/** Confirmed e-mail addresses of an account's members in these roles. */
export const listAddresses = async (
  db: Queryable,
  accountId: string,
  roles: readonly MemberRole[],
): Promise<string[]> =>
  (await db.query<{ email: string }>(ADDRESSES, [accountId, roles])).map(({ email }) => email)
