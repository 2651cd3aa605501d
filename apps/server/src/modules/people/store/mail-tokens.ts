import { sql, type Tx } from '#infra/db'

export type MailTokenPurpose = 'verify_email' | 'reset_password'

const INSERT = sql(
  'people.insert_mail_token',
  `insert into people.mail_token (token_hash, person_id, purpose, created_at, expires_at) values ($1, $2, $3, $4, $5)`,
)
export const insertMailToken = async (
  tx: Tx,
  token: {
    readonly hash: Buffer
    readonly personId: string
    readonly purpose: MailTokenPurpose
    readonly at: Date
    readonly expiresAt: Date
  },
): Promise<void> => {
  await tx.query(INSERT, [token.hash, token.personId, token.purpose, token.at, token.expiresAt])
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
