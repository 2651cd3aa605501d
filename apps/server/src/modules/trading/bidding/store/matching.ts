// SQL of matching: which orders a listing goes to, which orders look for listings, and what pauses them.
import { bool, columns, int, json, text } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import { type Cents, type Currency, cents } from '#kernel/money'
import type { OpenOrder, PausedReason } from '../market-order.ts'

const OPEN = columns<OpenOrder>('o.', {
  id: text,
  tenantId: text,
  accountId: text,
  keyId: text,
  itemId: text,
  currency: text,
  maxPrice: cents,
  wanted: ['(o.quantity - o.pending - o.filled)', int],
  instantOnly: bool,
  minWear: int,
  maxWear: int,
  paintSeeds: json,
  tradeUrl: text,
  platformId: text,
  tried: [
    `array(select f.listing_id::text from bidding.fill f
       where f.tenant_id = o.tenant_id and f.order_id = o.id limit 10000)`,
    json,
  ],
})

const WANTED_ITEMS = sql(
  'bidding.wanted_items',
  `select wanted.id from unnest($1::text[]) wanted (id) where exists (
     select from bidding.market_order o where o.item_id = wanted.id and o.status = 'open')`,
)
/** Those of the items that an open order names. */
export async function findWantedItems(
  db: Queryable,
  itemIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(WANTED_ITEMS, [itemIds])
  return new Set(rows.map(({ id }) => id))
}

/** A listing as orders judge it. */
export interface OfferedListing {
  readonly id: bigint
  readonly itemId: string
  readonly instant: boolean
  /** As its market spells it. */
  readonly wear: string | null
  readonly paintSeed: number | null
  /** What the market asks, in cents; null: without a rate, orders in euros are passed over. */
  readonly sourcing: Readonly<Record<Currency, Cents | null>>
}

// Each currency is read from its end of the index; what is sorted is two short lists. Passed over is
// an order that has tried the listing, one of an account that may not act, and one that its account's
// fees make too cheap: the first that is read can be filled, as far as prices go.
const BEST = sql(
  'bidding.best_orders',
  `select o.* from (values ('USD'::ledger.currency, $7::bigint), ('EUR', $8::bigint)) asked (currency, sourcing)
   cross join lateral (
     select ${OPEN.list}, o.created_at from bidding.market_order o
     cross join lateral identity.buy_fees_of(o.account_id, pricing.default_fee_bps()) fees
     where o.status = 'open' and o.item_id = $2 and o.currency = asked.currency and o.max_price >= asked.sourcing
       and o.pending + o.filled < o.quantity and o.expires_at > $3
       and (not o.instant_only or $4)
       and (o.min_wear is null or o.min_wear <= $5::float8) and (o.max_wear is null or o.max_wear >= $5::float8)
       and (o.paint_seeds is null or $6::integer = any (o.paint_seeds))
       and o.max_price >= asked.sourcing + pricing.share_half_up(asked.sourcing, fees.house_fee_bps)
         + pricing.share_half_up(asked.sourcing, fees.merchant_fee_bps)
       and o.id <> all ($9::uuid[]) and o.account_id <> all ($12::uuid[]) and o.tenant_id <> all ($13::uuid[])
       and (o.key_id is null or o.key_id <> all ($14::uuid[]))
       and not exists (select from bidding.fill f
         where f.tenant_id = o.tenant_id and f.order_id = o.id and f.listing_id = $1)
     order by o.max_price desc, o.created_at, o.id limit $11) o
   order by case o.currency when 'USD' then o."maxPrice" * 1000000 else o."maxPrice" * $10::bigint end desc,
     o.created_at, o.id limit $11`,
)
/** What the search for a taker passes over. */
export interface PassedOver {
  readonly orders: ReadonlySet<string>
  readonly accounts: ReadonlySet<string>
  readonly keys: ReadonlySet<string>
  readonly tenants: ReadonlySet<string>
}

/**
 * The next orders that a listing may go to, at the price that their accounts pay for it: the highest
 * `maxPrice` first, euros counted at the rate, then the oldest.
 */
export const listBestOrders = (
  db: Queryable,
  { id, itemId, instant, wear, paintSeed, sourcing }: OfferedListing,
  {
    except,
    usdPerEurMicros,
    at,
    limit,
  }: {
    readonly except: PassedOver
    readonly usdPerEurMicros: bigint | null
    readonly at: Date
    readonly limit: number
  },
): Promise<OpenOrder[]> => {
  const listing = [id, itemId, at, instant, wear, paintSeed, sourcing.USD, sourcing.EUR]
  const { orders, accounts, tenants, keys } = except
  return OPEN.all(db, BEST, [
    ...[...listing, [...orders], usdPerEurMicros, limit],
    ...[[...accounts], [...tenants], [...keys]],
  ])
}

const CLAIM = sql(
  'bidding.claim_to_match',
  `select ${OPEN.list} from bidding.claim_to_match($1, $2, $3) o`,
)
/**
 * Orders that are to look through what is for sale, in turn among tenants; theirs until
 * `leaseUntil`.
 */
export const claimToMatch = (
  db: Queryable,
  claim: { readonly limit: number; readonly at: Date; readonly leaseUntil: Date },
): Promise<OpenOrder[]> => OPEN.all(db, CLAIM, [claim.limit, claim.at, claim.leaseUntil])

const MATCHED = sql(
  'bidding.matched',
  `update bidding.market_order o set match_at = $4
   where o.tenant_id = $1 and o.id = $2 and o.match_at = $3 and o.status = 'open'`,
)
/**
 * Ends a claim; `next` is when the order is to look again, null for not before something happens.
 */
export async function noteMatched(
  db: Queryable,
  { tenantId, id }: Pick<OpenOrder, 'tenantId' | 'id'>,
  { leaseUntil, next }: { readonly leaseUntil: Date; readonly next: Date | null },
): Promise<void> {
  await db.query(MATCHED, [tenantId, id, leaseUntil, next])
}

// Locked in the order of the primary key, as others lock several.
const LOOK_AGAIN = sql(
  'bidding.look_again',
  `with late as (
     select o.tenant_id, o.id from bidding.market_order o
     join unnest($1::uuid[], $2::uuid[]) asked (tenant_id, id) on o.tenant_id = asked.tenant_id and o.id = asked.id
     where o.status = 'open' and coalesce(o.match_at > $3, true) order by o.tenant_id, o.id for no key update of o)
   update bidding.market_order o set match_at = $3 from late where o.tenant_id = late.tenant_id and o.id = late.id`,
)
/** The orders look through what is for sale at this time, or earlier where they were to. */
export async function lookAgain(
  db: Queryable,
  orders: readonly Pick<OpenOrder, 'tenantId' | 'id'>[],
  at: Date,
): Promise<void> {
  if (orders.length === 0) return
  await db.query(LOOK_AGAIN, [orders.map((one) => one.tenantId), orders.map(({ id }) => id), at])
}

const LIST_OPEN = sql(
  'bidding.list_open',
  `select ${OPEN.list} from bidding.market_order o
   where o.status = 'open' and (o.tenant_id, o.id) > ($1, $2) and o.pending + o.filled < o.quantity
   order by o.tenant_id, o.id limit $3`,
)
/** Every open order that wants something, a slice after another one's last. */
export const listOpenAfter = (
  db: Queryable,
  after: Pick<OpenOrder, 'tenantId' | 'id'> | null,
  limit: number,
): Promise<OpenOrder[]> =>
  OPEN.all(db, LIST_OPEN, [after?.tenantId ?? NIL, after?.id ?? NIL, limit])
const NIL = '00000000-0000-0000-0000-000000000000'

const PAUSE = sql('bidding.pause', 'select bidding.pause($1, $2, $3, $4, $5)')
/** With its event. `needed`: what the fill that was refused would have cost. */
export async function pauseOrder(
  db: Queryable,
  { tenantId, id }: Pick<OpenOrder, 'tenantId' | 'id'>,
  { reason, needed, at }: { reason: PausedReason; needed: Cents | null; at: Date },
): Promise<void> {
  await db.query(PAUSE, [tenantId, id, reason, needed, at])
}

/** A pause of an order: why, and what the fill that was refused would have cost. */
export interface Pause {
  readonly order: Pick<OpenOrder, 'tenantId' | 'id'>
  readonly reason: PausedReason
  readonly needed: Cents
}

// Locked in the order of the primary key, as others lock several.
const PAUSE_EACH = sql(
  'bidding.pause_each',
  `select count(bidding.pause(o.tenant_id, o.id, o.reason, o.needed, $5) is null) from (
     select asked.tenant_id, asked.id, asked.reason, asked.needed
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[]) asked (tenant_id, id, reason, needed)
     order by asked.tenant_id, asked.id) o`,
)
/** Each as `pauseOrder` does, in one commit. */
export async function pauseOrders(
  db: Queryable,
  pauses: readonly Pause[],
  at: Date,
): Promise<void> {
  if (pauses.length === 0) return
  await db.query(PAUSE_EACH, [
    pauses.map(({ order }) => order.tenantId),
    pauses.map(({ order }) => order.id),
    pauses.map(({ reason }) => reason),
    pauses.map(({ needed }) => needed),
    at,
  ])
}

const RESUME = sql('bidding.resume', 'select bidding.resume($1, $2, $3, $4)')
export async function resumeOrder(
  db: Queryable,
  { tenantId, id }: Pick<OpenOrder, 'tenantId' | 'id'>,
  reason: PausedReason,
  at: Date,
): Promise<void> {
  await db.query(RESUME, [tenantId, id, reason, at])
}

const EXPIRE = sql(
  'bidding.expire',
  `select count(bidding.end_order(o.tenant_id, o.id, 'expired', $1))::int count from (
     select o.tenant_id, o.id from bidding.market_order o
     where o.status in ('open', 'paused') and o.expires_at <= $1
     order by o.expires_at limit $2 for update skip locked) o`,
)
/** Ends what has expired; how many. */
export const expireOrders = (db: Queryable, at: Date, limit: number): Promise<number> =>
  counted(db, EXPIRE, [at, limit])

const PAUSE_ALL = sql(
  'bidding.pause_all',
  `select count(bidding.pause(o.tenant_id, o.id, 'SERVICE_DISABLED', null, $1) is null)::int count from (
     select o.tenant_id, o.id from bidding.market_order o
     where o.status = 'open' limit $2 for update skip locked) o`,
)
/** While trading is paused; how many. */
export const pauseOpen = (db: Queryable, at: Date, limit: number): Promise<number> =>
  counted(db, PAUSE_ALL, [at, limit])

const RESUME_ALL = sql(
  'bidding.resume_all',
  `select count(bidding.resume(o.tenant_id, o.id, 'SERVICE_DISABLED', $1) is null)::int count from (
     select o.tenant_id, o.id from bidding.market_order o
     where o.status = 'paused' and o.paused_reason = 'SERVICE_DISABLED'
     order by o.tenant_id, o.id limit $2 for update skip locked) o`,
)
/** Once trading goes on; how many. */
export const resumeDisabled = (db: Queryable, at: Date, limit: number): Promise<number> =>
  counted(db, RESUME_ALL, [at, limit])

const HAS_DISABLED = sql(
  'bidding.has_disabled',
  `select exists (select from bidding.market_order o
     where o.status = 'paused' and o.paused_reason = 'SERVICE_DISABLED') "isAny"`,
)
/** Whether any order is still paused with trading. */
export async function hasDisabled(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ isAny: boolean }>(HAS_DISABLED)
  return row?.isAny ?? false
}

const HAS_OPEN = sql(
  'bidding.has_open',
  `select exists (select from bidding.market_order where status = 'open') "isAny"`,
)
export async function hasOpen(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ isAny: boolean }>(HAS_OPEN)
  return row?.isAny ?? false
}

const ACCOUNTS_OF_ORDERS = `select distinct o.tenant_id, o.account_id from bidding.market_order o`
const FOLLOW_ACCOUNTS = sql(
  'bidding.follow_accounts',
  `with suspended as materialized (
     select a.tenant_id, a.account_id from (${ACCOUNTS_OF_ORDERS} where o.status = 'open') a where not identity.may_act(a.account_id)),
   active as materialized (
     select a.tenant_id, a.account_id from (
       ${ACCOUNTS_OF_ORDERS} where o.status = 'paused' and o.paused_reason = 'ACCOUNT_SUSPENDED') a
     where identity.may_act(a.account_id))
   select (select count(bidding.pause(o.tenant_id, o.id, 'ACCOUNT_SUSPENDED', null, $1) is null) from (
       select o.tenant_id, o.id from bidding.market_order o join suspended s using (tenant_id, account_id)
       where o.status = 'open' order by o.tenant_id, o.id limit $2 for update of o skip locked) o)
     + (select count(bidding.resume(o.tenant_id, o.id, 'ACCOUNT_SUSPENDED', $1) is null) from (
       select o.tenant_id, o.id from bidding.market_order o join active s using (tenant_id, account_id)
       where o.status = 'paused' and o.paused_reason = 'ACCOUNT_SUSPENDED'
       order by o.tenant_id, o.id limit $2 for update of o skip locked) o) count`,
)
/**
 * Pauses the orders of accounts that were suspended, and lets those of reactivated ones go on; how
 * many.
 */
export const followAccounts = (db: Queryable, at: Date, limit: number): Promise<number> =>
  counted(db, FOLLOW_ACCOUNTS, [at, limit])

async function counted(
  db: Queryable,
  statement: Parameters<Queryable['query']>[0],
  values: readonly unknown[],
): Promise<number> {
  const [row] = await db.query<{ count: number | bigint }>(statement, values)
  return Number(row?.count ?? 0)
}

/** A paused order, and what has become of its cause. */
export interface LookedAt {
  readonly id: string
  readonly tenantId: string
  readonly accountId: string
  readonly keyId: string | null
  readonly currency: Currency
  readonly pausedReason: PausedReason
  readonly needed: Cents | null
  readonly balance: Cents
  /** The account has a primary trade URL, and not the one whose failures have paused the order. */
  readonly hasOtherUrl: boolean
}

const LOOKED_AT = columns<LookedAt>('o.', {
  id: text,
  tenantId: text,
  accountId: text,
  keyId: text,
  currency: text,
  pausedReason: text,
  needed: cents,
  balance: [`ledger.balance_of(o.account_id, 'spot')`, cents],
  hasOtherUrl: [
    `(identity.primary_trade_url_of(o.account_id) <> case when o.faults < 3 then '' else coalesce(o.failed_url, '') end) is true`,
    bool,
  ],
})

const CLAIM_TO_LOOK = sql(
  'bidding.claim_to_look',
  `select ${LOOKED_AT.list} from bidding.claim_to_look($1, $2) o`,
)
/**
 * Paused orders whose cause is to be looked at, in turn among tenants. Each is due again later, the
 * longer it has been paused.
 */
export const claimToLook = (
  db: Queryable,
  { at, limit }: { readonly at: Date; readonly limit: number },
): Promise<LookedAt[]> => LOOKED_AT.all(db, CLAIM_TO_LOOK, [limit, at])
