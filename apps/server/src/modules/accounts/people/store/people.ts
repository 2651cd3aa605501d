import { type Queryable, sql, type Tx, violatedConstraint } from '#infra/database/db'

import { isUuid } from '#kernel/id'
import type { Person, TwoFactorMethod } from '../person.ts'

export interface PersonRow {
  readonly id: string
  readonly email: string
  readonly passwordHash: string
  readonly emailVerifiedAt: Date | null
  readonly twoFactorMethod: TwoFactorMethod | null
  readonly sealedTotpSecret: string | null
  readonly passkeys: number
  readonly factorRemovalAt: Date | null
}

const COLUMNS = `id, email, password_hash "passwordHash", email_verified_at "emailVerifiedAt",
  two_factor_method "twoFactorMethod", sealed_totp_secret "sealedTotpSecret",
  (select count(*)::int from people.passkey where person_id = person.id) passkeys,
  (select r.removes_at from people.factor_removal r where r.person_id = person.id and r.outcome is null) "factorRemovalAt"`

export const personOf = ({ id, email, emailVerifiedAt, ...factors }: PersonRow): Person => ({
  ...{ id, email, twoFactorMethod: factors.twoFactorMethod, passkeys: factors.passkeys },
  factorRemovalAt: factors.factorRemovalAt,
  emailVerified: emailVerifiedAt !== null,
})

const FIND_BY_EMAIL = sql(
  'people.find_by_email',
  `select ${COLUMNS} from people.person where lower(email) = lower($1)`,
)
export const findByEmail = async (db: Queryable, email: string): Promise<PersonRow | null> => {
  const [row] = await db.query<PersonRow>(FIND_BY_EMAIL, [email])
  return row ?? null
}

const ID_BY_EMAIL = sql(
  'people.id_by_email',
  `select id from people.person where lower(email) = lower($1) and email_verified_at is not null`,
)
/** Who logs in with this e-mail address; null while it is not verified. */
export const findPersonId = async (db: Queryable, email: string): Promise<string | null> => {
  const [row] = await db.query<{ id: string }>(ID_BY_EMAIL, [email])
  return row?.id ?? null
}

const LOCK = sql('people.lock_person', 'select from people.person where id = $1 for update')
const READ = sql('people.read_person', `select ${COLUMNS} from people.person where id = $1`)
/**
 * Locked until the transaction ends, and read after the lock: a statement that waited for the lock counts
 * passkeys as they were before it waited.
 */
export const lockPerson = async (tx: Tx, id: string): Promise<PersonRow | null> => {
  await tx.query(LOCK, [id])
  const [row] = await tx.query<PersonRow>(READ, [id])
  return row ?? null
}

/** The person who has the address, locked; null too for one who gave it up before the lock was held. */
export async function lockByEmail(tx: Tx, email: string): Promise<PersonRow | null> {
  const known = await findByEmail(tx, email)
  const person = known && (await lockPerson(tx, known.id))
  return person?.email.toLowerCase() === email.toLowerCase() ? person : null
}

const INSERT = sql(
  'people.insert_person',
  `with confirmed as (delete from people.registration where email_key = lower($2) and $4::timestamptz is not null)
   insert into people.person (id, email, password_hash, password_changed_at, email_verified_at, created_at, updated_at)
   values ($1, $2, $3, $5, $4, $5, $5)
   on conflict ((lower(email))) do nothing returning id`,
)
/** False when the address is taken. */
export const insertPerson = async (
  tx: Tx,
  person: {
    readonly id: string
    readonly email: string
    readonly passwordHash: string
    readonly emailVerifiedAt: Date | null
    readonly at: Date
  },
): Promise<boolean> => {
  const { id, email, passwordHash, emailVerifiedAt, at } = person
  return (await tx.query(INSERT, [id, email, passwordHash, emailVerifiedAt, at])).length > 0
}

const VERIFY = sql(
  'people.verify_email',
  `with confirmed as (update people.person set email_verified_at = coalesce(email_verified_at, $2), updated_at = $2
     where id = $1 returning email)
   delete from people.registration r using confirmed c where r.email_key = lower(c.email)`,
)
export const markVerified = async (tx: Tx, personId: string, at: Date): Promise<void> => {
  await tx.query(VERIFY, [personId, at])
}

const SET_EMAIL = sql(
  'people.set_email',
  `update people.person set email = $2, email_verified_at = $3, updated_at = $3 where id = $1`,
)
/** False when another person has the address; the transaction is over then. */
export async function setEmail(
  tx: Tx,
  { personId, email, at }: { readonly personId: string; readonly email: string; readonly at: Date },
): Promise<boolean> {
  try {
    await tx.query(SET_EMAIL, [personId, email, at])
    return true
  } catch (error) {
    if (violatedConstraint(error) === 'person_email') return false
    throw error
  }
}

const ERASE = sql(
  'people.erase_person',
  `with passkey as (delete from people.passkey where person_id = $1),
     chat as (delete from people.chat_link where person_id = $1),
     removal as (update people.factor_removal set address = '', next_at = null,
       outcome = coalesce(outcome, 'not_possible'), ended_at = coalesce(ended_at, $2) where person_id = $1),
     registration as (delete from people.registration r using people.person p
       where p.id = $1 and r.email_key = lower(p.email)),
     code as (delete from people.recovery_code where person_id = $1),
     token as (update people.mail_token set used_at = $2 where person_id = $1 and used_at is null),
     session as (update people.session set address = '', user_agent = '', ended_at = coalesce(ended_at, $2) where person_id = $1)
   update people.person set email = 'deleted-' || id || '@invalid', email_verified_at = null, password_hash = '',
     two_factor_method = null, sealed_totp_secret = null, deleted_at = $2, updated_at = $2
   where id = $1`,
)
/** Nothing personal stays, and no password matches any more. */
export const erasePerson = async (tx: Tx, personId: string, at: Date): Promise<void> => {
  await tx.query(ERASE, [personId, at])
}

const SET_PASSWORD = sql(
  'people.set_password',
  `update people.person set password_hash = $2, password_changed_at = $3, updated_at = $3 where id = $1`,
)
export const setPassword = async (
  tx: Tx,
  {
    personId,
    passwordHash,
    at,
  }: { readonly personId: string; readonly passwordHash: string; readonly at: Date },
): Promise<void> => {
  await tx.query(SET_PASSWORD, [personId, passwordHash, at])
}

const SET_TWO_FACTOR = sql(
  'people.set_two_factor',
  `update people.person set two_factor_method = $2, sealed_totp_secret = $3,
     totp_last_step = case when $3::text is null then 0 else totp_last_step end, updated_at = $4
   where id = $1`,
)
export const setTwoFactor = async (
  tx: Tx,
  change: {
    readonly personId: string
    readonly method: TwoFactorMethod | null
    readonly sealedTotpSecret: string | null
    readonly at: Date
  },
): Promise<void> => {
  const { personId, method, sealedTotpSecret, at } = change
  await tx.query(SET_TWO_FACTOR, [personId, method, sealedTotpSecret, at])
}

const SPEND_STEP = sql(
  'people.spend_totp_step',
  `update people.person set totp_last_step = $2 where id = $1 and totp_last_step < $2 returning id`,
)
/** False when a code of this step or a later one was used before. */
export const spendTotpStep = async (tx: Tx, personId: string, step: number): Promise<boolean> =>
  (await tx.query(SPEND_STEP, [personId, step])).length > 0

const RECOVERY_INSERT = sql(
  'people.insert_recovery_codes',
  `insert into people.recovery_code (person_id, code_signature) select $1, unnest($2::text[])`,
)
const RECOVERY_DELETE = sql(
  'people.delete_recovery_codes',
  'delete from people.recovery_code where person_id = $1',
)
export async function replaceRecoveryCodes(
  tx: Tx,
  personId: string,
  signatures: readonly string[],
): Promise<void> {
  await tx.query(RECOVERY_DELETE, [personId])
  if (signatures.length > 0) await tx.query(RECOVERY_INSERT, [personId, signatures])
}

const RECOVERY_COUNT = sql(
  'people.count_recovery_codes',
  'select count(*)::int n from people.recovery_code where person_id = $1 and used_at is null',
)
/** Those that are not used. */
export const countRecoveryCodes = async (db: Queryable, personId: string): Promise<number> => {
  const [row] = await db.query<{ n: number }>(RECOVERY_COUNT, [personId])
  return row?.n ?? 0
}

const RECOVERY_SPEND = sql(
  'people.spend_recovery_code',
  `update people.recovery_code set used_at = $3
   where person_id = $1 and code_signature = $2 and used_at is null returning person_id`,
)
export const spendRecoveryCode = async (
  tx: Tx,
  {
    personId,
    signature,
    at,
  }: { readonly personId: string; readonly signature: string; readonly at: Date },
): Promise<boolean> => (await tx.query(RECOVERY_SPEND, [personId, signature, at])).length > 0
const EMAILS = sql(
  'people.emails',
  'select id, email from people.person where id = any ($1::uuid[])',
)
/** E-mail addresses by the id of the person; ids that are none of a person are left out. */
export async function readPersonEmails(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const known = [...new Set(ids)].filter(isUuid)
  if (known.length === 0) return new Map()
  const rows = await db.query<{ id: string; email: string }>(EMAILS, [known])
  return new Map(rows.map(({ id, email }) => [id, email]))
}
