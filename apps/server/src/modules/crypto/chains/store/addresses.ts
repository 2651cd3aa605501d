// SQL of our addresses.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { Address } from '#kernel/chain'
import type { OurAddress, Purpose, WalletPurpose } from '../read-transfers.ts'

const FIND = sql(
  'chains.find_address',
  'select address from chains.address where owner_id = $1 and purpose = $2',
)
export async function findAddress(
  db: Queryable,
  ownerId: string,
  purpose: Purpose,
): Promise<Address | null> {
  const [row] = await db.query<{ address: Address }>(FIND, [ownerId, purpose])
  return row?.address ?? null
}

const OURS_AMONG = sql(
  'chains.ours_among',
  'select lookup from chains.address where lookup = any ($1::text[])',
)
/**
 * For each address whether it is ours: one that was handed out, for whatever purpose, or a wallet of the
 * service.
 */
export async function areOurAddresses(
  db: Queryable,
  addresses: readonly Address[],
): Promise<boolean[]> {
  const lookups = addresses.map((address) => address.toLowerCase())
  const rows = await db.query<{ lookup: string }>(OURS_AMONG, [lookups])
  const ours = new Set(rows.map(({ lookup }) => lookup))
  return lookups.map((lookup) => ours.has(lookup))
}

const NEXT_INDEX = sql(
  'chains.next_address_index',
  `select nextval('chains.address_index')::integer "hdIndex"`,
)
export async function nextAddressIndex(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ hdIndex: number }>(NEXT_INDEX)
  return assertDefined(row, 'index of an address').hdIndex
}

/** More than are handed out between a copy of the database and its loss. */
const SKIPPED = 100_000
const SKIP = sql(
  'chains.skip_addresses',
  `select setval('chains.address_index', nextval('chains.address_index') + $1::integer)`,
)
/** Leaves out addresses that a lost part of the database may have handed out: another may pay to them. */
export async function skipAddresses(tx: Tx): Promise<void> {
  await tx.query(SKIP, [SKIPPED])
}

const INSERT = sql(
  'chains.insert_address',
  `insert into chains.address (owner_id, purpose, hd_index, address, created_at)
   values ($1, $2, $3, $4, $5)
   on conflict on constraint address_one_for_a_purpose do nothing returning address`,
)
/** The address that holds: the given one, or that of a concurrent call. */
export async function insertAddress(
  tx: Tx,
  given: {
    readonly ownerId: string
    readonly purpose: Purpose
    readonly hdIndex: number
    readonly address: Address
    readonly at: Date
  },
): Promise<Address> {
  const { ownerId, purpose, hdIndex, address, at } = given
  const values = [ownerId, purpose, hdIndex, address, at]
  const [row] = await tx.query<{ address: Address }>(INSERT, values)
  return row?.address ?? assertDefined(await findAddress(tx, ownerId, purpose), 'address')
}

const SAMPLE = sql(
  'chains.sample_addresses',
  `select a.hd_index "hdIndex", a.address from (
     select 0 as i union
     select floor(random() * (select max(hd_index) + 1 from chains.address))::integer from generate_series(1, $1::integer)) drawn
     join chains.address a on a.hd_index = drawn.i`,
)
/** Random ones, and the first. */
export const sampleAddresses = (
  db: Queryable,
  size: number,
): Promise<{ hdIndex: number; address: Address }[]> => db.query(SAMPLE, [size])

const AMONG = sql(
  'chains.addresses_among',
  `select id, owner_id "ownerId", purpose, address, lookup from chains.address where lookup = any ($1::text[])`,
)
/** Those of the given lower-case addresses that are ours. */
export const findAddressesAmong = (
  db: Queryable,
  lookups: readonly string[],
): Promise<OurAddress[]> => db.query<OurAddress>(AMONG, [lookups])

const REGISTER = sql(
  'chains.register_wallet',
  `insert into chains.address (id, owner_id, purpose, address, created_at)
     select w.id, w.id, $1, $2, $3 from (select uuidv7() id) w
   on conflict on constraint address_once do nothing`,
)
/** A wallet of the service: from the next block on, what comes to it from outside is booked. */
export async function registerWallet(
  db: Queryable,
  { purpose, address }: { readonly purpose: WalletPurpose; readonly address: Address },
  at: Date,
): Promise<void> {
  await db.query(REGISTER, [purpose, address, at])
}

const WALLETS = sql(
  'chains.list_wallets',
  `select purpose, lookup from chains.address where purpose in ('hot_wallet', 'gas_station')`,
)
/** Wallets of the service, the same on every chain. Lower case. */
export const listWallets = (
  db: Queryable,
): Promise<{ readonly purpose: WalletPurpose; readonly lookup: Address }[]> => db.query(WALLETS)
