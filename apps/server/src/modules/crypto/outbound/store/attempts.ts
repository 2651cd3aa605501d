// SQL of attempts: what was signed, and what nodes answered to it.
import { columns, int, type Row, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { ChainName, Hex } from '#kernel/chain'
import type { KeyRef } from '../ports.ts'
import type { SigningForm } from '../transaction.ts'
import { TRANSACTION, type Transaction } from './transactions.ts'

export interface Attempt extends SigningForm {
  readonly transactionId: string
  readonly number: number
  readonly hash: Hex
  readonly raw: Hex
  readonly sentAt: Date | null
  readonly answer: string | null
}

const ATTEMPT = columns<Attempt>('a.', {
  transactionId: text,
  number: int,
  kind: text,
  hash: text,
  raw: text,
  gas: BigInt,
  maxFeePerGas: BigInt,
  maxPriorityFeePerGas: BigInt,
  sentAt: time,
  answer: text,
})

const INSERT = sql(
  'outbound.insert_attempts',
  `insert into outbound.attempt (transaction_id, number, kind, hash, raw, gas, max_fee_per_gas, max_priority_fee_per_gas,
     signed_at)
   select i.transaction_id, coalesce((select max(a.number) from outbound.attempt a
       where a.transaction_id = i.transaction_id), 0) + 1, i.kind, i.hash, i.raw, i.gas, i.fee, i.priority, $8
   from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[])
     i (transaction_id, kind, hash, raw, gas, fee, priority)
   where not exists (select from outbound.attempt a where a.transaction_id = i.transaction_id and a.hash = i.hash)`,
)

export interface NewAttempt extends SigningForm {
  readonly transactionId: string
  readonly hash: Hex
  readonly raw: Hex
}

/**
 * Writes what was signed for transactions that are locked. A process that was suspended may ask for a form
 * that another has signed since: its attempt is there, and stays the only one.
 */
export async function insertSigned(
  tx: Tx,
  attempts: readonly NewAttempt[],
  at: Date,
): Promise<void> {
  const column = <T>(of: (attempt: NewAttempt) => T): T[] => attempts.map(of)
  await tx.query(INSERT, [
    column((one) => one.transactionId),
    column((one) => one.kind),
    column((one) => one.hash),
    column((one) => one.raw),
    column((one) => one.gas),
    column((one) => one.maxFeePerGas),
    column((one) => one.maxPriorityFeePerGas),
    at,
  ])
}

const OF = sql(
  'outbound.attempts_of',
  `select ${ATTEMPT.list} from outbound.attempt a
   where a.transaction_id = any ($1::uuid[]) order by a.transaction_id, a.number`,
)
/** By transaction, oldest first. */
export async function readAttempts(
  db: Queryable,
  transactionIds: readonly string[],
): Promise<Map<string, Attempt[]>> {
  if (transactionIds.length === 0) return new Map()
  return Map.groupBy(await ATTEMPT.all(db, OF, [transactionIds]), (one) => one.transactionId)
}

const TO_SEND = sql(
  'outbound.to_send',
  `select ${TRANSACTION.list}, ${ATTEMPT.list}
   from outbound.transaction t
     left join lateral (select * from outbound.attempt a where a.transaction_id = t.id order by a.number desc limit 1) a
       on true
   where t.chain = $1 and t.key_ref = $2
     and (t.state in ('signing', 'signed') or (t.state = 'broadcast' and (t.wanted = 'resend' or a.sent_at is null)))
   order by t.nonce limit 2000`,
)
/** What a wallet has to send, with the newest attempt of each, by nonce. Null: it has none yet. */
export async function readToSend(
  db: Queryable,
  wallet: { readonly chain: ChainName; readonly keyRef: KeyRef },
): Promise<{ readonly transaction: Transaction; readonly attempt: Attempt | null }[]> {
  type Found = Row<Transaction> & Row<Attempt> & { readonly transactionId: string | null }
  const rows = await db.query<Found>(TO_SEND, [wallet.chain, wallet.keyRef])
  return rows.map((row) => ({
    transaction: TRANSACTION.of(row),
    attempt: row.transactionId === null ? null : ATTEMPT.of(row),
  }))
}

const ANSWERED = sql(
  'outbound.answered',
  `update outbound.attempt a set sent_at = $3, answer = i.answer
   from unnest($1::text[], $2::text[]) i (hash, answer) where a.hash = i.hash`,
)
export async function writeAnswers(
  db: Queryable,
  answers: readonly { hash: Hex; answer: string }[],
  at: Date,
): Promise<void> {
  if (answers.length === 0) return
  await db.query(ANSWERED, [
    answers.map(({ hash }) => hash),
    answers.map(({ answer }) => answer),
    at,
  ])
}

const LOST = sql(
  'outbound.lost_attempts',
  `select s.hash from unnest($1::text[]) s (hash)
   where not exists (select from outbound.attempt a where a.hash = s.hash)`,
)
/** Those of these hashes that no attempt has. */
export async function findLostAttempts(
  db: Queryable,
  hashes: readonly string[],
): Promise<string[]> {
  if (hashes.length === 0) return []
  return (await db.query<{ hash: string }>(LOST, [hashes])).map(({ hash }) => hash)
}
