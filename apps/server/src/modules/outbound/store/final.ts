// SQL of what is final, and may have left its chain all the same.
import { type Queryable, sql, type Tx } from '#infra/db'
import type { ChainName, Hex } from '#kernel/chain'

const FINAL_IN = sql(
  'outbound.final_in',
  `select t.id, t.purpose, t.ref_id "refId", a.hash, a.raw
   from outbound.transaction t join outbound.attempt a on a.transaction_id = t.id and a.hash = t.mined_hash
   where t.chain = $1 and t.mined_block = $2 and t.finished_at is not null order by t.key_ref, t.nonce`,
)
/** What is final and was mined in a block: the attempt that was, by wallet and nonce. */
export const readFinalIn = (
  db: Queryable,
  chain: ChainName,
  block: bigint,
): Promise<{ id: string; purpose: string; refId: string; hash: Hex; raw: Hex }[]> =>
  db.query(FINAL_IN, [chain, block])

const WATCH = sql(
  'outbound.watch_final',
  'insert into outbound.final_watch (transaction_id) values ($1) on conflict do nothing',
)
/** In the commit that makes it final. */
export async function watchFinal(tx: Tx, id: string): Promise<void> {
  await tx.query(WATCH, [id])
}

const MISSING = sql(
  'outbound.note_missing',
  `insert into outbound.final_watch (transaction_id, missing_at) values ($1, $2)
   on conflict (transaction_id) do update set missing_at = excluded.missing_at`,
)
/** It is in no block now. */
export async function noteMissing(db: Queryable, id: string, at: Date): Promise<void> {
  await db.query(MISSING, [id, at])
}

export interface Watched {
  readonly id: string
  readonly hash: Hex
  readonly raw: Hex
  readonly missingAt: Date | null
}

const WATCHED = sql(
  'outbound.list_watched',
  `select t.id, a.hash, a.raw, f.missing_at "missingAt"
   from outbound.final_watch f join outbound.transaction t on t.id = f.transaction_id
     join outbound.attempt a on a.transaction_id = t.id and a.hash = t.mined_hash
   where t.chain = $1 order by t.key_ref, t.nonce limit 500`,
)
/** By wallet and nonce. */
export const listWatched = (db: Queryable, chain: ChainName): Promise<Watched[]> =>
  db.query(WATCHED, [chain])

const END = sql(
  'outbound.end_watch',
  `delete from outbound.final_watch f using unnest($1::uuid[], $2::timestamptz[]) s (id, missing_at)
   where f.transaction_id = s.id and f.missing_at is not distinct from s.missing_at`,
)
/** They were seen in a final block; one that was found missing since it was read stays. */
export async function endWatch(db: Queryable, seen: readonly Watched[]): Promise<void> {
  if (seen.length === 0) return
  await db.query(END, [seen.map(({ id }) => id), seen.map(({ missingAt }) => missingAt)])
}
