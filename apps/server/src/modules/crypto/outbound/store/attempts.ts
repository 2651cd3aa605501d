// SQL of attempts: what was signed, and what nodes answered to it.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { ChainName, Hex } from '#kernel/chain'
import type { KeyRef } from '../ports.ts'
import type { SigningForm } from '../transaction.ts'
import {
  TRANSACTION_COLUMNS,
  type Transaction,
  type TransactionRow,
  transactionOf,
} from './transactions.ts'

export interface Attempt extends SigningForm {
  readonly transactionId: string
  readonly number: number
  readonly hash: Hex
  readonly raw: Hex
  readonly sentAt: Date | null
  readonly answer: string | null
}

interface AttemptRow {
  transaction_id: string
  number: number
  kind: Attempt['kind']
  hash: Hex
  raw: Hex
  gas: string
  max_fee_per_gas: string
  max_priority_fee_per_gas: string
  sent_at: Date | null
  answer: string | null
}

const attemptOf = (row: AttemptRow): Attempt => ({
  transactionId: row.transaction_id,
  number: row.number,
  kind: row.kind,
  hash: row.hash,
  raw: row.raw,
  gas: BigInt(row.gas),
  maxFeePerGas: BigInt(row.max_fee_per_gas),
  maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
  sentAt: row.sent_at,
  answer: row.answer,
})

const INSERT = sql(
  'outbound.insert_attempts',
  `insert into outbound.attempt (transaction_id, number, kind, hash, raw, gas, max_fee_per_gas, max_priority_fee_per_gas,
     signed_at)
   select i.transaction_id, coalesce((select max(a.number) from outbound.attempt a
       where a.transaction_id = i.transaction_id), 0) + 1, i.kind, i.hash, i.raw, i.gas, i.fee, i.priority, $8
   from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[])
     i (transaction_id, kind, hash, raw, gas, fee, priority)`,
)

export interface NewAttempt extends SigningForm {
  readonly transactionId: string
  readonly hash: Hex
  readonly raw: Hex
}

/** Writes what was signed for transactions that are locked. */
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
  `select transaction_id, number, kind, hash, raw, gas, max_fee_per_gas, max_priority_fee_per_gas, sent_at, answer
   from outbound.attempt where transaction_id = any ($1::uuid[]) order by transaction_id, number`,
)
/** By transaction, oldest first. */
export async function readAttempts(
  db: Queryable,
  transactionIds: readonly string[],
): Promise<Map<string, Attempt[]>> {
  const found = new Map<string, Attempt[]>()
  if (transactionIds.length === 0) return found
  for (const row of await db.query<AttemptRow>(OF, [transactionIds])) {
    const attempts = found.get(row.transaction_id) ?? []
    attempts.push(attemptOf(row))
    found.set(row.transaction_id, attempts)
  }
  return found
}

const TO_SEND = sql(
  'outbound.to_send',
  `select ${TRANSACTION_COLUMNS}, a.transaction_id, a.number, a.kind, a.hash, a.raw, a.gas, a.max_fee_per_gas,
     a.max_priority_fee_per_gas, a.sent_at, a.answer
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
  const rows = await db.query<TransactionRow & (AttemptRow | { transaction_id: null })>(TO_SEND, [
    wallet.chain,
    wallet.keyRef,
  ])
  return rows.map((row) => ({
    transaction: transactionOf(row),
    attempt: row.transaction_id === null ? null : attemptOf(row),
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
