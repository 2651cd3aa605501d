// SQL of small transfers that are credited together.
import { sql, type Tx } from '#infra/db'
import type { Transfer } from './transfers.ts'

const LOCK = sql('chains.lock_dust', 'select pg_advisory_xact_lock(hashtextextended($1, 0))')
const COLLECT = sql(
  'chains.collect_dust',
  `with small as materialized (
     select t.id, t.units from chains.transfer t
     where t.address_id = $1 and t.chain = $2 and t.token = $3 and t.state = 'dust' and t.orphaned_at is null for update),
   batch as (
     insert into chains.dust_batch (address_id, chain, token, units, created_at)
       select $1, $2, $3, sum(units), $5 from small having sum(units) >= $4 returning id, units),
   collected as (
     update chains.transfer t set state = 'credited', dust_batch_id = batch.id, settled_at = $5, usd_e8 = $6, rate_sources = $7
     from small, batch where t.id = small.id)
   select id, units from batch`,
)
/** The batch that was made; null while they are too little together. */
export async function collectDust(
  tx: Tx,
  { addressId, chain, token }: Transfer,
  given: {
    readonly leastUnits: bigint
    readonly usdE8: bigint
    readonly rateSources: readonly string[]
    readonly at: Date
  },
): Promise<{ id: string; units: bigint } | null> {
  const { leastUnits, usdE8, rateSources, at } = given
  await tx.query(LOCK, [`chains.dust:${addressId}:${chain}:${token}`])
  const values = [addressId, chain, token, leastUnits, at, usdE8, rateSources]
  const [batch] = await tx.query<{ id: string; units: string }>(COLLECT, values)
  return batch ? { id: batch.id, units: BigInt(batch.units) } : null
}

const DISSOLVE = sql(
  'chains.dissolve_dust',
  `with dissolved as (
     update chains.dust_batch set dissolved_at = $2 where id = $1 and dissolved_at is null returning id)
   update chains.transfer t set state = case t.state when 'credited' then 'dust' else t.state end,
     dust_batch_id = null, usd_e8 = null, rate_sources = null
   from dissolved where t.dust_batch_id = dissolved.id returning t.id`,
)
/** Its transfers wait again, each by itself. False: it was dissolved before. */
export const dissolveDust = async (tx: Tx, batchId: string, at: Date): Promise<boolean> =>
  (await tx.query(DISSOLVE, [batchId, at])).length > 0
