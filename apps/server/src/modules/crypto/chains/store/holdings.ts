// SQL of what our addresses should hold.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Address, Hex } from '#kernel/chain'
import type { ChainId } from '../chain.ts'
import type { Incoming, OurAddress, WalletPurpose } from '../read-transfers.ts'

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

export interface NativeHolding {
  readonly address: OurAddress
  readonly hdIndex: number
  /** Base units of native coin that transfers and our own payments have brought, up to the block. */
  readonly units: bigint
}

const NATIVE_HOLDINGS = sql(
  'chains.list_native_holdings',
  `select a.id, a.owner_id "ownerId", a.purpose, a.address, a.lookup, a.hd_index "hdIndex",
     coalesce((select sum(t.units) from chains.transfer t
       where t.address_id = a.id and t.chain = $1 and t.token = 'NATIVE' and t.orphaned_at is null
         and t.block_number <= $2), 0)
     + coalesce((select sum(p.units) from chains.own_payment p
       where p.address_id = a.id and p.chain = $1 and p.block_number <= $2), 0) units
   from chains.address a where a.hd_index > $3 order by a.hd_index limit $4`,
)
/** Addresses of owners in the order of their index, from above `after` on. */
export async function listNativeHoldings(
  db: Queryable,
  chain: ChainId,
  page: { readonly upTo: bigint; readonly after: number; readonly limit: number },
): Promise<NativeHolding[]> {
  const values = [chain, page.upTo, page.after, page.limit]
  const rows = await db.query<OurAddress & { hdIndex: number; units: string }>(
    NATIVE_HOLDINGS,
    values,
  )
  return rows.map(({ hdIndex, units, ...address }) => ({ address, hdIndex, units: BigInt(units) }))
}

const INSERT_OWN = sql(
  'chains.insert_own_payments',
  `insert into chains.own_payment (chain, tx_hash, kind, ordinal, address_id, units, block_number)
     select $1, n.tx_hash, n.kind, n.ordinal, n.address_id, n.units, $2
     from unnest($3::text[], $4::text[], $5::text[], $6::uuid[], $7::numeric[]) n (tx_hash, kind, ordinal, address_id, units)`,
)
/** Of one block; they are forgotten when the cursor is set back below it. */
export async function insertOwnPayments(
  tx: Tx,
  block: { readonly chain: ChainId; readonly number: bigint },
  payments: readonly Incoming[],
): Promise<void> {
  if (payments.length === 0) return
  await tx.query(INSERT_OWN, [
    block.chain,
    block.number,
    payments.map(({ txHash }) => txHash),
    payments.map(({ kind }) => kind),
    payments.map(({ ordinal }) => ordinal),
    payments.map(({ address }) => address.id),
    payments.map(({ units }) => units),
  ])
}

const NAME = sql(
  'chains.name_payment',
  `insert into chains.named_payment (chain, address_id, tx_hash, named_at)
     select $1, id, lower($3), $4 from chains.address where lookup = lower($2) and hd_index is not null
   on conflict on constraint named_payment_pkey do update set tx_hash = excluded.tx_hash, named_at = excluded.named_at
   returning address_id`,
)
/** False: the address was not handed out. */
export const namePayment = async (
  tx: Tx,
  chain: ChainId,
  named: { readonly address: string; readonly txHash: string; readonly at: Date },
): Promise<boolean> =>
  (await tx.query(NAME, [chain, named.address, named.txHash, named.at])).length > 0

const NAMED = sql(
  'chains.list_named_payments',
  'select address_id "addressId", tx_hash "txHash" from chains.named_payment where chain = $1',
)
/** By the id of the address. */
export async function listNamedPayments(
  db: Queryable,
  chain: ChainId,
): Promise<ReadonlyMap<string, Hex>> {
  const rows = await db.query<{ addressId: string; txHash: Hex }>(NAMED, [chain])
  return new Map(rows.map(({ addressId, txHash }) => [addressId, txHash]))
}

const DROP_NAMED = sql(
  'chains.drop_named_payment',
  'delete from chains.named_payment where chain = $1 and address_id = $2 and tx_hash = $3',
)
export async function dropNamedPayment(
  tx: Queryable,
  chain: ChainId,
  { addressId, txHash }: { readonly addressId: string; readonly txHash: Hex },
): Promise<void> {
  await tx.query(DROP_NAMED, [chain, addressId, txHash])
}

export interface Holding {
  readonly chain: ChainId
  readonly role: HeldRole
  readonly token: string
  /** Base units, as the node reported them. */
  readonly units: bigint
  readonly comparedAt: Date
}

const WRITE_HOLDINGS = sql(
  'chains.write_holdings',
  `insert into chains.holding as h (chain, role, token, units, block_number, compared_at)
   select $1, held.role, held.token, held.units, $5, $6
   from unnest($2::text[], $3::text[], $4::numeric[]) held (role, token, units)
   on conflict (chain, role, token) do update set units = excluded.units, block_number = excluded.block_number,
     compared_at = excluded.compared_at where h.compared_at <= excluded.compared_at`,
)
/** What the addresses of each role held by their node at a block. */
export async function writeHoldings(
  db: Queryable,
  compared: {
    readonly chain: ChainId
    readonly block: bigint
    readonly held: readonly Pick<Holding, 'role' | 'token' | 'units'>[]
    readonly at: Date
  },
): Promise<void> {
  const { chain, block, held, at } = compared
  const column = <T>(of: (one: (typeof held)[number]) => T): T[] => held.map(of)
  const values = [column((one) => one.role), column((one) => one.token), column((one) => one.units)]
  await db.query(WRITE_HOLDINGS, [chain, ...values, block, at])
}

const LIST_HOLDINGS = sql(
  'chains.list_holdings',
  'select chain, role, token, units, compared_at "comparedAt" from chains.holding',
)
/** As of the last comparison of each chain with the books. */
export async function listHoldings(db: Queryable): Promise<Holding[]> {
  const rows = await db.query<Omit<Holding, 'units'> & { units: string }>(LIST_HOLDINGS)
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }))
}
