// SQL of what our addresses should hold.
import { type Queryable, sql } from '#infra/db'
import type { Address } from '#kernel/chain'
import type { ChainId } from '../chain.ts'
import type { WalletPurpose } from '../read-transfers.ts'

/** The accounts of custody that our addresses stand for. */
export type HeldRole = 'deposit_address' | WalletPurpose

const PAID = sql(
  'chains.list_paid_addresses',
  `select a.lookup from chains.address a
   where a.hd_index is not null and (exists (select from chains.transfer t where t.address_id = a.id and t.chain = $1)
     or exists (select from chains.sweep s where s.address_id = a.id and s.chain = $1))`,
)
/** Addresses of owners that a transfer has ever been seen to on the chain. Lower case. */
export async function listPaidAddresses(db: Queryable, chain: ChainId): Promise<Address[]> {
  const rows = await db.query<{ lookup: Address }>(PAID, [chain])
  return rows.map(({ lookup }) => lookup)
}

const UNBOOKED = sql(
  'chains.sum_unbooked',
  `select case when t.purpose in ('hot_wallet', 'gas_station') then t.purpose else 'deposit_address' end as role, t.token,
     sum(case when t.state = 'pending' then t.units else -t.units end) units
   from chains.transfer t
   where t.chain = $1 and ((t.state = 'pending' and t.orphaned_at is null)
     or (t.state in ('credited', 'dust') and t.orphaned_at is not null))
   group by 1, 2`,
)

export interface Unbooked {
  readonly role: HeldRole
  readonly token: string
  /** Base units; negative where the books have more. */
  readonly units: bigint
}

/** What the chain holds and the books do not: pending transfers, less posted ones that left the chain. */
export async function listUnbooked(db: Queryable, chain: ChainId): Promise<Unbooked[]> {
  const rows = await db.query<Omit<Unbooked, 'units'> & { units: string }>(UNBOOKED, [chain])
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }))
}
