// SQL of sweeps.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Address } from '#kernel/chain'
import type { ChainId } from '../chain.ts'

/** Where swept funds go, and the account that they are booked on there. */
export interface SweepTarget {
  readonly address: Address
  readonly role: 'treasury' | 'hot_wallet'
}

export interface Sweepable {
  readonly addressId: string
  readonly hdIndex: number
  readonly address: Address
  readonly units: bigint
  readonly transferIds: readonly string[]
}

const SWEEPABLE = sql(
  'chains.list_sweepable',
  `select t.address_id "addressId", a.hd_index "hdIndex", a.address, sum(t.units) units, array_agg(t.id) "transferIds"
   from chains.transfer t join chains.address a on a.id = t.address_id
   where t.chain = $1 and t.token = $2 and t.sweep_id is null and t.state in ('credited', 'dust') and t.orphaned_at is null
     and t.purpose in ('deposit', 'payout_custody')
     and not exists (select from chains.sweep s
       where s.address_id = t.address_id and s.chain = t.chain and s.state in ('gas_sent', 'sweep_sent'))
   group by 1, 2, 3
   having sum(t.units) >= $3 or (min(t.settled_at) <= $5 and sum(t.units) >= $4)
   order by sum(t.units) desc limit $6`,
)
/** Addresses with enough to move, the most first. */
export async function listSweepable(
  db: Queryable,
  query: {
    readonly chain: ChainId
    readonly token: string
    readonly least: bigint
    readonly lateLeast: bigint
    readonly late: Date
    readonly limit: number
  },
): Promise<Sweepable[]> {
  const { chain, token, least, lateLeast, late, limit } = query
  const values = [chain, token, least, lateLeast, late, limit]
  const rows = await db.query<Omit<Sweepable, 'units'> & { units: string }>(SWEEPABLE, values)
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }))
}

export interface Sweep {
  readonly id: string
  readonly addressId: string
  readonly hdIndex: number
  readonly chain: ChainId
  readonly token: string
  /** Of the token, lower case. */
  readonly contract: Address
  readonly units: bigint
  readonly gasUnits: bigint
  readonly target: SweepTarget
  readonly state: 'gas_sent' | 'sweep_sent' | 'swept' | 'failed'
}

const BEGIN = sql(
  'chains.begin_sweep',
  `insert into chains.sweep (id, address_id, chain, token, units, gas_units, target, target_role, state, began_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (address_id, chain) where state in ('gas_sent', 'sweep_sent') do nothing returning id`,
)
/** False: one is under way at this address. */
export async function beginSweep(
  tx: Tx,
  sweep: Omit<Sweep, 'hdIndex' | 'contract'>,
  at: Date,
): Promise<boolean> {
  const { id, addressId, chain, token, units, gasUnits, target, state } = sweep
  const values = [id, addressId, chain, token, units, gasUnits]
  return (await tx.query(BEGIN, [...values, target.address, target.role, state, at])).length > 0
}

const TAKE = sql(
  'chains.take_transfers',
  `with taken as (
     update chains.transfer set sweep_id = $1
     where id = any ($2::uuid[]) and sweep_id is null and state in ('credited', 'dust') and orphaned_at is null returning units)
   select coalesce(sum(units), 0) units from taken`,
)
/** Their sum. */
export async function takeTransfers(
  tx: Tx,
  { id }: Pick<Sweep, 'id'>,
  transferIds: readonly string[],
): Promise<bigint> {
  const [row] = await tx.query<{ units: string }>(TAKE, [id, transferIds])
  return BigInt(row?.units ?? 0)
}

const LOCK = sql(
  'chains.lock_sweep',
  `select s.id, s.address_id "addressId", a.hd_index "hdIndex", s.chain, s.token, k.contract, s.units, s.gas_units "gasUnits",
     s.target, s.target_role "targetRole", s.state
   from chains.sweep s join chains.address a on a.id = s.address_id
     join chains.token k on k.chain = s.chain and k.symbol = s.token and k.is_accepted
   where s.id = $1 for update of s`,
)
export async function lockSweep(tx: Tx, id: string): Promise<Sweep | null> {
  const [row] = await tx.query<
    Omit<Sweep, 'units' | 'gasUnits' | 'target'> & {
      units: string
      gasUnits: string
      target: Address
      targetRole: SweepTarget['role']
    }
  >(LOCK, [id])
  if (row === undefined) return null
  const { targetRole: role, target: address, ...rest } = row
  return {
    ...rest,
    units: BigInt(row.units),
    gasUnits: BigInt(row.gasUnits),
    target: { address, role },
  }
}

const SEND = sql(
  'chains.send_swept',
  `update chains.sweep set state = 'sweep_sent' where id = $1 and state = 'gas_sent'`,
)
export async function sendSwept(tx: Tx, id: string): Promise<void> {
  await tx.query(SEND, [id])
}

const END = sql(
  'chains.end_sweep',
  `with released as (update chains.transfer set sweep_id = null where sweep_id = $1 and $2 = 'failed')
   update chains.sweep set state = $2, detail = $3, ended_at = $4 where id = $1`,
)
export async function endSweep(
  tx: Tx,
  id: string,
  end: { readonly state: 'swept' | 'failed'; readonly detail: string | null; readonly at: Date },
): Promise<void> {
  await tx.query(END, [id, end.state, end.detail, end.at])
}

const FUNDABLE = sql(
  'chains.list_fundable_sweeps',
  `select s.id from chains.sweep s
   where s.id = any ($1::uuid[]) and s.state = 'sweep_sent'
     and (select count(*) from chains.sweep f where f.address_id = s.address_id and f.chain = s.chain
       and f.state = 'failed' and f.detail = 'gas_low' and f.ended_at > $2) < $3`,
)
/** Of these sweeps, those whose address was given up for too little gas less than `most` times since then. */
export async function listFundable(
  db: Queryable,
  ids: readonly string[],
  { since, most }: { readonly since: Date; readonly most: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(FUNDABLE, [ids, since, most])
  return rows.map(({ id }) => id)
}
