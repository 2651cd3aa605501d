// SQL of what arrived in tokens that we do not take.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { ChainId } from '../chain.ts'

const NOTE = sql(
  'chains.note_unsupported',
  `insert into chains.unsupported as u (chain, contract, address_id, first_tx_hash, last_tx_hash, first_seen_at, last_seen_at)
     values ($1, $2, $3, $4, $4, $5, $5)
   on conflict (chain, contract, address_id) do update
     set seen = u.seen + 1, last_tx_hash = excluded.last_tx_hash, last_seen_at = excluded.last_seen_at
   returning u.transfer_id "transferId", u.seen = 1 "isFirst"`,
)
export async function noteUnsupported(
  tx: Tx,
  seen: {
    readonly chain: ChainId
    readonly contract: string
    readonly addressId: string
    readonly txHash: string
    readonly at: Date
  },
): Promise<{ transferId: string; isFirst: boolean }> {
  const { chain, contract, addressId, txHash, at } = seen
  const values = [chain, contract, addressId, txHash, at]
  const [row] = await tx.query<{ transferId: string; isFirst: boolean }>(NOTE, values)
  return assertDefined(row, 'unsupported token')
}

export interface UnsupportedToken {
  readonly chain: ChainId
  readonly contract: string
  readonly symbol: string | null
  readonly address: string
  readonly seen: bigint
  readonly lastTxHash: string
  readonly lastSeenAt: Date
}

const LIST = sql(
  'chains.list_unsupported',
  `select u.chain, u.contract, t.symbol, a.address, u.seen, u.last_tx_hash "lastTxHash", u.last_seen_at "lastSeenAt"
   from chains.unsupported u join chains.address a on a.id = u.address_id
     left join chains.token t on t.chain = u.chain and t.contract = u.contract
   order by u.last_seen_at desc limit $1`,
)
/** The newest first. */
export const listUnsupported = (db: Queryable, limit: number): Promise<UnsupportedToken[]> =>
  db.query<UnsupportedToken>(LIST, [limit])
