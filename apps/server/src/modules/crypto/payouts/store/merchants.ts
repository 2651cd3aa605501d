// SQL of what a merchant has set for its payouts.
import { type Queryable, sql, type Tx } from '#infra/database/db'
import type { Address } from '#kernel/chain'

/** Where a merchant approves withdrawals, where that is not its webhook endpoint. */
export interface Callback {
  readonly url: string
  readonly secretSealed: string
  readonly previousSecretSealed: string | null
  /** Until then the previous secret signs beside the present one. */
  readonly previousSecretUntil: Date | null
}

export interface MerchantSettings {
  readonly callback: Callback | null
  /** False: who set the webhook endpoint's address may not move money, so that it approves nothing. */
  readonly isEndpointConfirmed: boolean
  /** An approval was answered once, since the URL of the callback was set. */
  readonly isProven: boolean
  readonly onlyKnownDestinations: boolean
}

interface SettingsRow {
  id: string
  url: string | null
  secretSealed: string | null
  previousSecretSealed: string | null
  previousSecretUntil: Date | null
  isEndpointConfirmed: boolean
  isProven: boolean
  onlyKnownDestinations: boolean
}

const settingsOf = ({ id: _, url, secretSealed, ...row }: SettingsRow): MerchantSettings => {
  const { previousSecretSealed, previousSecretUntil, ...settings } = row
  const callback =
    url === null || secretSealed === null
      ? null
      : { url, secretSealed, previousSecretSealed, previousSecretUntil }
  return { callback, ...settings }
}

const SETTINGS = sql(
  'payouts.merchant_settings',
  `select id, callback_url url, callback_secret_sealed "secretSealed",
     callback_previous_secret_sealed "previousSecretSealed", callback_previous_secret_until "previousSecretUntil",
     endpoint_confirmed "isEndpointConfirmed", proven_at is not null "isProven", only_known_destinations "onlyKnownDestinations" from payouts.merchant where id = any ($1::uuid[])`,
)
const UNSET: MerchantSettings = {
  ...{ callback: null, isEndpointConfirmed: true },
  ...{ isProven: false, onlyKnownDestinations: false },
}
/** Of each merchant, in their order. */
export async function readMerchantSettings(
  db: Queryable,
  merchantIds: readonly string[],
): Promise<MerchantSettings[]> {
  const rows = await db.query<SettingsRow>(SETTINGS, [[...new Set(merchantIds)]])
  const found = new Map(rows.map((row) => [row.id, settingsOf(row)]))
  return merchantIds.map((id) => found.get(id) ?? UNSET)
}

export const findMerchantSettings = async (
  db: Queryable,
  merchantId: string,
): Promise<MerchantSettings> => (await readMerchantSettings(db, [merchantId]))[0] ?? UNSET

const INSERT = sql(
  'payouts.insert_merchant',
  'insert into payouts.merchant (id, changed_at) values ($1, $2) on conflict (id) do nothing',
)
const LOCK = sql('payouts.lock_merchant', 'select from payouts.merchant where id = $1 for update')
/** Locked until the transaction ends; a row that is not there could not be. */
export async function lockMerchantSettings(
  tx: Tx,
  merchantId: string,
  at: Date,
): Promise<MerchantSettings> {
  await tx.query(INSERT, [merchantId, at])
  await tx.query(LOCK, [merchantId])
  return findMerchantSettings(tx, merchantId)
}

const INSERT_ALL = sql(
  'payouts.insert_merchants',
  `insert into payouts.merchant (id, changed_at) select id, $2 from unnest($1::uuid[]) id order by id
   on conflict (id) do nothing`,
)
const LOCK_ALL = sql(
  'payouts.lock_merchants',
  'select from payouts.merchant where id = any ($1::uuid[]) order by id for no key update',
)
/** Of each merchant, by its id; nothing of them changes until the transaction ends. */
export async function lockAllMerchantSettings(
  tx: Tx,
  merchantIds: readonly string[],
  at: Date,
): Promise<Map<string, MerchantSettings>> {
  const ids = [...new Set(merchantIds)]
  await tx.query(INSERT_ALL, [ids, at])
  await tx.query(LOCK_ALL, [ids])
  const settings = await readMerchantSettings(tx, ids)
  return new Map(ids.map((id, i) => [id, settings[i] ?? UNSET]))
}

const SET_CALLBACK = sql(
  'payouts.set_callback',
  `insert into payouts.merchant (id, callback_url, callback_secret_sealed, callback_previous_secret_sealed,
     callback_previous_secret_until, changed_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (id) do update set callback_url = excluded.callback_url,
     callback_secret_sealed = excluded.callback_secret_sealed,
     callback_previous_secret_sealed = excluded.callback_previous_secret_sealed,
     callback_previous_secret_until = excluded.callback_previous_secret_until, changed_at = excluded.changed_at,
     proven_at = case when merchant.callback_url is not distinct from excluded.callback_url then merchant.proven_at end`,
)
/** Another URL is unproven. Null: withdrawals are approved at the webhook endpoint again. */
export async function writeCallback(
  db: Queryable,
  merchantId: string,
  callback: (Pick<Callback, 'url' | 'secretSealed'> & Partial<Callback>) | null,
  at: Date,
): Promise<void> {
  const { url = null, secretSealed = null } = callback ?? {}
  const { previousSecretSealed = null, previousSecretUntil = null } = callback ?? {}
  const values = [merchantId, url, secretSealed, previousSecretSealed, previousSecretUntil, at]
  await db.query(SET_CALLBACK, values)
}

const CONFIRM_ENDPOINT = sql(
  'payouts.confirm_endpoint',
  `insert into payouts.merchant (id, endpoint_confirmed, changed_at) values ($1, $2, $3)
   on conflict (id) do update set endpoint_confirmed = excluded.endpoint_confirmed, changed_at = excluded.changed_at`,
)
/** Whether the merchant's withdrawals may be approved at its webhook endpoint as that is now. */
export async function setEndpointConfirmed(
  tx: Tx,
  merchantId: string,
  { isConfirmed, at }: { isConfirmed: boolean; at: Date },
): Promise<void> {
  await tx.query(CONFIRM_ENDPOINT, [merchantId, isConfirmed, at])
}

const PROVE = sql(
  'payouts.prove_merchants',
  `insert into payouts.merchant (id, proven_at, changed_at)
   select id, $2, $2 from unnest($1::uuid[]) id group by id order by id
   on conflict (id) do update set proven_at = excluded.proven_at where merchant.proven_at is null`,
)
/** Their callbacks have answered. */
export async function markProven(tx: Tx, merchantIds: readonly string[], at: Date): Promise<void> {
  if (merchantIds.length > 0) await tx.query(PROVE, [merchantIds, at])
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

const USABLE = sql(
  'payouts.usable_destinations',
  'select address from payouts.destination where merchant_id = $1 and address = any ($2::text[]) and usable_from <= $3',
)
/** Which of these, in lower case, are on the list for longer than their day of waiting. */
export async function findUsableDestinations(
  db: Queryable,
  merchantId: string,
  { addresses, at }: { readonly addresses: readonly string[]; readonly at: Date },
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ address: string }>(USABLE, [merchantId, addresses, at])
  return new Set(rows.map(({ address }) => address))
}

const UNLISTED = sql(
  'payouts.find_unlisted',
  `select w.id from payouts.withdrawal w join payouts.merchant m on m.id = w.owner_id and m.only_known_destinations
   where w.id = any ($1::uuid[]) and w.source = 'custody' and not exists (
     select from payouts.destination d
     where d.merchant_id = w.owner_id and d.address = lower(w.destination) and d.usable_from <= $2)`,
)
/** Those whose merchant restricts payouts to a list on which their destination cannot be used. */
export async function findUnlisted(
  tx: Tx,
  withdrawals: readonly { readonly id: string }[],
  at: Date,
): Promise<Set<string>> {
  const ids = withdrawals.map(({ id }) => id)
  const rows = await tx.query<{ id: string }>(UNLISTED, [ids, at])
  return new Set(rows.map(({ id }) => id))
}
