// SQL of what a merchant has set for its payouts.
import { type Queryable, sql, type Tx } from '#infra/db'
import type { Address } from '#kernel/chain'

export interface MerchantSettings {
  readonly callbackUrl: string | null
  readonly callbackSecretSealed: string | null
  readonly onlyKnownDestinations: boolean
}

const SETTINGS = sql(
  'payouts.merchant_settings',
  `select id, callback_url "callbackUrl", callback_secret_sealed "callbackSecretSealed",
     only_known_destinations "onlyKnownDestinations" from payouts.merchant where id = any ($1::uuid[])`,
)
const UNSET: MerchantSettings = {
  callbackUrl: null,
  callbackSecretSealed: null,
  onlyKnownDestinations: false,
}
/** Of each merchant, in their order. */
export async function readMerchantSettings(
  db: Queryable,
  merchantIds: readonly string[],
): Promise<MerchantSettings[]> {
  const rows = await db.query<MerchantSettings & { id: string }>(SETTINGS, [
    [...new Set(merchantIds)],
  ])
  const found = new Map(rows.map(({ id, ...settings }) => [id, settings]))
  return merchantIds.map((id) => found.get(id) ?? UNSET)
}

export const findMerchantSettings = async (
  db: Queryable,
  merchantId: string,
): Promise<MerchantSettings> => (await readMerchantSettings(db, [merchantId]))[0] ?? UNSET

const SET_CALLBACK = sql(
  'payouts.set_callback',
  `insert into payouts.merchant (id, callback_url, callback_secret_sealed, changed_at) values ($1, $2, $3, $4)
   on conflict (id) do update set callback_url = excluded.callback_url,
     callback_secret_sealed = excluded.callback_secret_sealed, changed_at = excluded.changed_at`,
)
export async function writeCallback(
  db: Queryable,
  merchantId: string,
  callback: { url: string; secretSealed: string } | null,
  at: Date,
): Promise<void> {
  const values = [merchantId, callback?.url ?? null, callback?.secretSealed ?? null, at]
  await db.query(SET_CALLBACK, values)
}

const ONLY_KNOWN = sql(
  'payouts.set_only_known',
  `insert into payouts.merchant (id, only_known_destinations, changed_at) values ($1, $2, $3)
   on conflict (id) do update set only_known_destinations = excluded.only_known_destinations,
     changed_at = excluded.changed_at`,
)
/** Whether withdrawals of the merchant go to its list of destinations alone. */
export async function setOnlyKnownDestinations(
  tx: Tx,
  merchantId: string,
  { on, at }: { on: boolean; at: Date },
): Promise<void> {
  await tx.query(ONLY_KNOWN, [merchantId, on, at])
}

const ADD = sql(
  'payouts.add_destination',
  `insert into payouts.destination (merchant_id, address, usable_from, created_at) values ($1, lower($2), $3, $4)
   on conflict (merchant_id, address) do nothing`,
)
const WAIT_MS = 24 * 3_600_000
/** Adds a destination; it can be used after a day. One that is on the list keeps its time. */
export async function addDestination(
  tx: Tx,
  merchantId: string,
  { address, at }: { address: Address; at: Date },
): Promise<void> {
  await tx.query(ADD, [merchantId, address, new Date(at.getTime() + WAIT_MS), at])
}

const REMOVE = sql(
  'payouts.remove_destination',
  'delete from payouts.destination where merchant_id = $1 and address = lower($2) returning address',
)
/** False: it was not on the list. */
export const removeDestination = async (
  tx: Tx,
  merchantId: string,
  address: Address,
): Promise<boolean> => (await tx.query(REMOVE, [merchantId, address])).length > 0

const LIST = sql(
  'payouts.list_destinations',
  `select address, usable_from "usableFrom", created_at "createdAt" from payouts.destination
   where merchant_id = $1 order by created_at, address limit 10000`,
)
export interface Destination {
  readonly address: Address
  readonly usableFrom: Date
  readonly createdAt: Date
}
export const listDestinations = (db: Queryable, merchantId: string): Promise<Destination[]> =>
  db.query<Destination>(LIST, [merchantId])

const MAY_PAY = sql(
  'payouts.may_pay',
  `select exists (select from payouts.destination
     where merchant_id = $1 and address = lower($2) and usable_from <= $3) known`,
)
/** On the list, and for longer than its day of waiting. */
export async function isUsableDestination(
  db: Queryable,
  merchantId: string,
  { address, at }: { address: Address; at: Date },
): Promise<boolean> {
  const [row] = await db.query<{ known: boolean }>(MAY_PAY, [merchantId, address, at])
  return row?.known ?? false
}
