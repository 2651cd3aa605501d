import { type Queryable, sql, type Tx, violatedConstraint } from '#infra/database/db'
import type { ChatAccount } from '../ports.ts'

const INSERT_REQUEST = sql(
  'people.insert_chat_request',
  `insert into people.chat_request (state_hash, session_id, sealed_verifier, created_at, expires_at)
   values ($1, $2, $3, $4, $5)`,
)
export const insertChatRequest = async (
  db: Queryable,
  request: {
    readonly stateHash: Buffer
    readonly sessionId: string
    readonly sealedVerifier: string
    readonly at: Date
    readonly expiresAt: Date
  },
): Promise<void> => {
  const { stateHash, sessionId, sealedVerifier, at, expiresAt } = request
  await db.query(INSERT_REQUEST, [stateHash, sessionId, sealedVerifier, at, expiresAt])
}

const SPEND_REQUEST = sql(
  'people.spend_chat_request',
  `update people.chat_request set used_at = $3
   where state_hash = $1 and session_id = $2 and used_at is null and expires_at > $3
   returning sealed_verifier "sealedVerifier"`,
)
/** The sealed verifier; null when the state is unknown, used, expired or of another session. */
export const spendChatRequest = async (
  db: Queryable,
  {
    stateHash,
    sessionId,
    at,
  }: { readonly stateHash: Buffer; readonly sessionId: string; readonly at: Date },
): Promise<string | null> => {
  const [row] = await db.query<{ sealedVerifier: string }>(SPEND_REQUEST, [
    stateHash,
    sessionId,
    at,
  ])
  return row?.sealedVerifier ?? null
}

const SET = sql(
  'people.set_chat_link',
  `insert into people.chat_link (person_id, chat_user_id, username, discriminator, avatar, linked_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (person_id) do update set chat_user_id = excluded.chat_user_id, username = excluded.username,
     discriminator = excluded.discriminator, avatar = excluded.avatar, linked_at = excluded.linked_at`,
)
/** False when another person has linked the account; the transaction is over then. */
export async function setChatLink(
  tx: Tx,
  {
    personId,
    account,
    at,
  }: { readonly personId: string; readonly account: ChatAccount; readonly at: Date },
): Promise<boolean> {
  const { id, username, discriminator, avatar } = account
  try {
    await tx.query(SET, [personId, id, username, discriminator, avatar, at])
    return true
  } catch (error) {
    if (violatedConstraint(error) === 'chat_link_account_once') return false
    throw error
  }
}

const FIND = sql(
  'people.find_chat_link',
  `select chat_user_id id, username, discriminator, avatar from people.chat_link where person_id = $1`,
)
export const findChatLink = async (
  db: Queryable,
  personId: string,
): Promise<ChatAccount | null> => {
  const [row] = await db.query<ChatAccount>(FIND, [personId])
  return row ?? null
}

const DELETE = sql(
  'people.delete_chat_link',
  'delete from people.chat_link where person_id = $1 returning username',
)
/** The name of the account that was linked; null when there was none. */
export const deleteChatLink = async (tx: Tx, personId: string): Promise<string | null> => {
  const [row] = await tx.query<{ username: string }>(DELETE, [personId])
  return row?.username ?? null
}
