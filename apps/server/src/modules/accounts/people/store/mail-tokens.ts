import { sql, type Tx } from '#infra/database/db'
import { newToken } from '../token.ts'

export type MailTokenPurpose = 'verify_email' | 'reset_password' | 'change_email' | 'keep_factor'

const INSERT = sql(
  'people.insert_mail_token',
  `insert into people.mail_token (token_hash, person_id, purpose, new_email, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6)`,
)
/** A new token for a link in a mail, which is kept as its hash alone. */
export async function issueMailToken(
  tx: Tx,
  order: {
    readonly personId: string
    readonly purpose: MailTokenPurpose
    /** Of a change of address. */
    readonly newEmail?: string
    readonly at: Date
    readonly expiresAt: Date
  },
): Promise<string> {
  const { personId, purpose, newEmail = null, at, expiresAt } = order
  const { token, hash } = newToken()
  await tx.query(INSERT, [hash, personId, purpose, newEmail, at, expiresAt])
  return token
}

const SPEND = sql(
  'people.spend_mail_token',
  `update people.mail_token set used_at = $3
   where token_hash = $1 and purpose = $2 and used_at is null and expires_at > $3 returning person_id "personId"`,
)
/** The person that the token was made for; null when it is unknown, used or expired. */
export const spendMailToken = async (
  tx: Tx,
  {
    hash,
    purpose,
    at,
  }: { readonly hash: Buffer; readonly purpose: MailTokenPurpose; readonly at: Date },
): Promise<string | null> => {
  const [row] = await tx.query<{ personId: string }>(SPEND, [hash, purpose, at])
  return row?.personId ?? null
}

const REVOKE = sql(
  'people.revoke_mail_tokens',
  `update people.mail_token set used_at = $3 where person_id = $1 and purpose = $2 and used_at is null`,
)
/** Older links of the same purpose stop working. */
export const revokeMailTokens = async (
  tx: Tx,
  {
    personId,
    purpose,
    at,
  }: { readonly personId: string; readonly purpose: MailTokenPurpose; readonly at: Date },
): Promise<void> => {
  await tx.query(REVOKE, [personId, purpose, at])
}

const SPEND_CHANGE = sql(
  'people.spend_email_change',
  `update people.mail_token set used_at = $2
   where token_hash = $1 and purpose = 'change_email' and used_at is null and expires_at > $2
   returning person_id "personId", new_email "newEmail"`,
)
/** Null when it is unknown, used or expired. */
export const spendEmailChange = async (
  tx: Tx,
  hash: Buffer,
  at: Date,
): Promise<{ readonly personId: string; readonly newEmail: string } | null> => {
  const [row] = await tx.query<{ personId: string; newEmail: string }>(SPEND_CHANGE, [hash, at])
  return row ?? null
}

const COUNT = sql(
  'people.count_mail_tokens',
  `select count(*)::int n from people.mail_token where person_id = $1 and purpose = $2 and created_at > $3`,
)
export const countMailTokens = async (
  tx: Tx,
  { personId, purpose, after }: { personId: string; purpose: MailTokenPurpose; after: Date },
): Promise<number> => {
  const [row] = await tx.query<{ n: number }>(COUNT, [personId, purpose, after])
  return row?.n ?? 0
}
