// SQL that finds transfers by the hash of their transaction, and owners by an address.
import { type Queryable, sql } from '#infra/database/db'

const BY_HASH = sql(
  'chains.find_transfers_of_hash',
  'select id from chains.transfer where tx_hash = lower($1) order by id limit 20',
)
export const findTransfersOfHash = async (db: Queryable, hash: string): Promise<string[]> =>
  (await db.query<{ id: string }>(BY_HASH, [hash])).map(({ id }) => id)

const OWNER = sql(
  'chains.find_owner_of_address',
  `select owner_id id from chains.address where lookup = lower($1) and hd_index is not null`,
)
/** The account that an address was handed out to; null for our own wallets and for foreign ones. */
export async function findOwnerOfAddress(db: Queryable, address: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(OWNER, [address])
  return row?.id ?? null
}
