// SQL of small transfers that are credited together.
import { sql, type Tx } from '#infra/database/db'
import type { Transfer } from './transfers.ts'

/**
 * A batch is credited by one statement and taken back by one, which must not end in their timeout. What is
 * left waits for the next batch; so do more than a thousand that need still smaller ones for the minimum.
 */
const TRANSFERS_A_BATCH = 1000

const COLLECT = sql(
  'chains.collect_dust',
  'select id, units from chains.collect_dust($1, $2, $3, $4, $5, $6, $7, $8)',
)
/** The batch that was made; null while they are too little together. */
export async function collectDust(
  tx: Tx,
  { addressId, chain, token }: Pick<Transfer, 'addressId' | 'chain' | 'token'>,
  given: {
    readonly leastUnits: bigint
    readonly usdE8: bigint
    readonly rateSources: readonly string[]
    readonly at: Date
  },
): Promise<{ id: string; units: bigint } | null> {
  const { leastUnits, usdE8, rateSources, at } = given
  const [batch] = await tx.query<{ id: string; units: string }>(COLLECT, [
    ...[addressId, chain, token, leastUnits, TRANSFERS_A_BATCH],
    ...[at, usdE8, rateSources],
  ])
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
