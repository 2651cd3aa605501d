import { type Queryable, sql, type Tx } from '#infra/database/db'

export interface PasskeyRow {
  readonly id: string
  readonly personId: string
  /** base64url, as the authenticator chose it. */
  readonly credentialId: string
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly counter: bigint
  readonly transports: readonly string[]
  readonly isSynced: boolean
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

const COLUMNS = `id, person_id "personId", credential_id "credentialId", public_key "publicKey", counter, transports,
  is_synced "isSynced", name, created_at "createdAt", last_used_at "lastUsedAt"`

const LIST = sql(
  'people.list_passkeys',
  `select ${COLUMNS} from people.passkey where person_id = $1 order by created_at, id limit 100`,
)
/** The oldest first. */
export const findPasskeys = (db: Queryable, personId: string): Promise<PasskeyRow[]> =>
  db.query<PasskeyRow>(LIST, [personId])

const FIND = sql(
  'people.find_passkey',
  `select ${COLUMNS} from people.passkey where credential_id = $1`,
)
export const findPasskey = async (
  db: Queryable,
  credentialId: string,
): Promise<PasskeyRow | null> => {
  const [row] = await db.query<PasskeyRow>(FIND, [credentialId])
  return row ?? null
}

const INSERT = sql(
  'people.insert_passkey',
  `insert into people.passkey
     (id, person_id, credential_id, public_key, counter, transports, is_synced, name, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (credential_id) do nothing returning id`,
)
/** False when the credential is known already. */
export const insertPasskey = async (tx: Tx, passkey: PasskeyRow): Promise<boolean> => {
  const { id, personId, credentialId, publicKey, counter, transports, isSynced } = passkey
  const values = [id, personId, credentialId, publicKey, counter, transports, isSynced]
  return (await tx.query(INSERT, [...values, passkey.name, passkey.createdAt])).length > 0
}

const NOTE_USE = sql(
  'people.note_passkey_use',
  `update people.passkey set counter = $3, last_used_at = $4
   where id = $1 and counter = $2 returning id`,
)
/** False when another use has moved the counter since it was read, or the passkey is gone. */
export const notePasskeyUse = async (
  tx: Tx,
  use: {
    readonly id: string
    readonly was: bigint
    readonly counter: bigint
    readonly at: Date
  },
): Promise<boolean> => (await tx.query(NOTE_USE, [use.id, use.was, use.counter, use.at])).length > 0

const RENAME = sql(
  'people.rename_passkey',
  `update people.passkey set name = $3 where id = $1 and person_id = $2 returning ${COLUMNS}`,
)
export const renamePasskeyRow = async (
  tx: Tx,
  { id, personId, name }: { readonly id: string; readonly personId: string; readonly name: string },
): Promise<PasskeyRow | null> => {
  const [row] = await tx.query<PasskeyRow>(RENAME, [id, personId, name])
  return row ?? null
}

const DELETE = sql(
  'people.delete_passkey',
  `delete from people.passkey where id = $1 and person_id = $2 returning ${COLUMNS}`,
)
export const deletePasskey = async (
  tx: Tx,
  { id, personId }: { readonly id: string; readonly personId: string },
): Promise<PasskeyRow | null> => {
  const [row] = await tx.query<PasskeyRow>(DELETE, [id, personId])
  return row ?? null
}

const DELETE_ALL = sql('people.delete_passkeys', 'delete from people.passkey where person_id = $1')
export const deletePasskeys = async (tx: Tx, personId: string): Promise<void> => {
  await tx.query(DELETE_ALL, [personId])
}

export interface CeremonyRow {
  readonly id: string
  readonly nonce: Buffer
  /** Who adds a passkey. */
  readonly personId: string | null
  /** The second factor that is answered. */
  readonly challengeId: string | null
}

const INSERT_CEREMONY = sql(
  'people.insert_passkey_ceremony',
  `insert into people.passkey_ceremony (id, nonce, person_id, challenge_id, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6)`,
)
export const insertCeremony = async (
  db: Queryable,
  ceremony: CeremonyRow & { readonly at: Date; readonly expiresAt: Date },
): Promise<void> => {
  const { id, nonce, personId, challengeId, at, expiresAt } = ceremony
  await db.query(INSERT_CEREMONY, [id, nonce, personId, challengeId, at, expiresAt])
}

const SPEND_CEREMONY = sql(
  'people.spend_passkey_ceremony',
  `update people.passkey_ceremony set used_at = $3
   where id = $1 and person_id is not distinct from $2::uuid and used_at is null and expires_at > $3
   returning id, nonce, person_id "personId", challenge_id "challengeId"`,
)
/** Null when it is unknown, of another person or purpose, answered or expired. */
export const spendCeremony = async (
  db: Queryable,
  {
    id,
    personId,
    at,
  }: { readonly id: string; readonly personId: string | null; readonly at: Date },
): Promise<CeremonyRow | null> => {
  const [row] = await db.query<CeremonyRow>(SPEND_CEREMONY, [id, personId, at])
  return row ?? null
}
