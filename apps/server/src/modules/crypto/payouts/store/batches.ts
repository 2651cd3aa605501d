// SQL of batches: withdrawals that were asked for together.
import { columns, int, json, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type CursorPage, cursorPageOf } from '#kernel/page'
import type { Withdrawal, WithdrawalStatus } from '../withdrawal.ts'
import { WITHDRAWAL } from './withdrawals.ts'

export interface Batch {
  readonly id: string
  readonly ownerId: string
  readonly externalId: string
  readonly requestHash: Buffer
  readonly total: number
  readonly createdAt: Date
}
const BATCH = columns<Batch>('b.', {
  id: text,
  ownerId: text,
  externalId: text,
  requestHash: json,
  total: int,
  createdAt: time,
})

export type StatusCounts = Readonly<Partial<Record<WithdrawalStatus, number>>>
export type CountedBatch = Batch & { readonly byStatus: StatusCounts }

const COUNTED = columns<CountedBatch>('b.', {
  id: text,
  ownerId: text,
  externalId: text,
  requestHash: json,
  total: int,
  createdAt: time,
  byStatus: [
    `(select jsonb_object_agg(s.status, s.count) from (
       select w.status, count(*) from payouts.batch_withdrawal m join payouts.withdrawal w on w.id = m.withdrawal_id
       where m.batch_id = b.id group by w.status) s)`,
    json,
  ],
})

const INSERT = sql(
  'payouts.insert_batch',
  `insert into payouts.batch as b (id, owner_id, external_id, request_hash, total, created_at)
   values ($1, $2, $3, $4, $5, $6) on conflict (owner_id, external_id) do nothing returning b.id`,
)
/** False when its owner has one with this external id; waits for a transaction that is writing it. */
export async function insertBatch(
  tx: Tx,
  { id, ownerId, externalId, requestHash, total, createdAt }: Batch,
): Promise<boolean> {
  const values = [id, ownerId, externalId, requestHash, total, createdAt]
  return (await tx.query(INSERT, values)).length === 1
}

const INSERT_MEMBERS = sql(
  'payouts.insert_batch_withdrawals',
  `insert into payouts.batch_withdrawal (batch_id, position, withdrawal_id)
   select $1, m.number - 1, m.id from unnest($2::uuid[]) with ordinality m (id, number)`,
)
/** In the order of the request. */
export async function insertMembers(
  tx: Tx,
  batchId: string,
  withdrawalIds: readonly string[],
): Promise<void> {
  await tx.query(INSERT_MEMBERS, [batchId, withdrawalIds])
}

const BY_EXTERNAL_ID = sql(
  'payouts.batch_by_external_id',
  `select ${BATCH.list} from payouts.batch b where b.owner_id = $1 and b.external_id = $2`,
)
export const findBatch = (
  db: Queryable,
  ownerId: string,
  externalId: string,
): Promise<Batch | null> => BATCH.first(db, BY_EXTERNAL_ID, [ownerId, externalId])

const COUNTED_BY_ID = sql(
  'payouts.counted_batch',
  `select ${COUNTED.list} from payouts.batch b where b.id = $1`,
)
/** With how many of its withdrawals are in each status now. */
export const readBatch = (db: Queryable, id: string): Promise<CountedBatch | null> =>
  COUNTED.first(db, COUNTED_BY_ID, [id])

const LIST = sql(
  'payouts.list_batches',
  `select ${COUNTED.list} from payouts.batch b
   where b.owner_id = $1 and ($2::text is null or b.external_id = $2) and ($3::uuid is null or b.id < $3)
   order by b.id desc limit $4`,
)
/** Newest first. */
export async function listBatches(
  db: Queryable,
  {
    ownerId,
    externalId,
    cursor,
    limit,
  }: {
    readonly ownerId: string
    readonly externalId: string | null
    readonly cursor: string | null
    readonly limit: number
  },
): Promise<CursorPage<CountedBatch>> {
  const batches = await COUNTED.all(db, LIST, [ownerId, externalId, cursor, limit + 1])
  return cursorPageOf(batches, limit, ({ id }) => id)
}

const MEMBERS = sql(
  'payouts.batch_members',
  `select ${WITHDRAWAL.list} from payouts.batch_withdrawal m join payouts.withdrawal w on w.id = m.withdrawal_id
   where m.batch_id = $1 order by m.position limit 500`,
)
/** In the order of the request. */
export const listBatchWithdrawals = (db: Queryable, batchId: string): Promise<Withdrawal[]> =>
  WITHDRAWAL.all(db, MEMBERS, [batchId])
