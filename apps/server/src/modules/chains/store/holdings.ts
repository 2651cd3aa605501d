// SQL of what our addresses should hold.
import { type Queryable, sql } from '#infra/db'
import type { Address } from '#kernel/chain'
import type { ChainId } from '../chain.ts'

const PAID = sql(
  'chains.list_paid_addresses',
  `select a.lookup from chains.address a
   where exists (select from chains.transfer t where t.address_id = a.id and t.chain = $1)
     or exists (select from chains.sweep s where s.address_id = a.id and s.chain = $1)`,
)
/** Addresses of ours that a transfer has ever been seen to on the chain. Lower case. */
export async function listPaidAddresses(db: Queryable, chain: ChainId): Promise<Address[]> {
  const rows = await db.query<{ lookup: Address }>(PAID, [chain])
  return rows.map(({ lookup }) => lookup)
}

const TARGETS = sql(
  'chains.list_swept_wallets',
  `select distinct lower(target) target from chains.sweep where chain = $1 and target_role = 'hot_wallet'`,
)
/** Hot wallets that were swept to: `outbound` does not know one that has sent nothing yet. Lower case. */
export async function listSweptWallets(db: Queryable, chain: ChainId): Promise<Address[]> {
  const rows = await db.query<{ target: Address }>(TARGETS, [chain])
  return rows.map(({ target }) => target)
}

const UNBOOKED = sql(
  'chains.sum_unbooked',
  `select t.token, sum(case when t.state = 'pending' then t.units else -t.units end) units from chains.transfer t
   where t.chain = $1 and ((t.state = 'pending' and t.orphaned_at is null)
     or (t.state in ('credited', 'dust') and t.orphaned_at is not null))
   group by t.token`,
)
/** What the chain holds and the books do not: pending transfers, less posted ones that left the chain. */
export async function sumUnbooked(db: Queryable, chain: ChainId): Promise<Map<string, bigint>> {
  const rows = await db.query<{ token: string; units: string }>(UNBOOKED, [chain])
  return new Map(rows.map(({ token, units }) => [token, BigInt(units)]))
}
