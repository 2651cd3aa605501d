// All SQL of identity, but that of trade URLs (trade-url-store.ts) and of keys (api-key-store.ts).

import { columns, int, type Row, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { isUuid } from '#kernel/id'
import { type Currency, cents } from '#kernel/money'
import type { AccountStatus, Merchant, SubUser, SubUserChange, Tier } from './account.ts'

const SUB_USER = columns<SubUser>('', {
  id: text,
  merchantId: ['parent_id', text],
  email: text,
  platformId: text,
  externalId: text,
  status: text,
  feeBps: int,
  currency: text,
  createdAt: time,
  limitPerTrade: cents,
  limitPerDay: cents,
  limitOpenTrades: int,
})

// ---------------------------------------------------------------- any account

export interface NewAccount {
  readonly id: string
  readonly kind: 'merchant' | 'sub_user' | 'partner' | 'child' | 'admin'
  readonly parentId: string | null
  readonly currency: Currency
  readonly email: string | null
  readonly name: string | null
  readonly description: string | null
  readonly externalId: string | null
  readonly platformId: string | null
  readonly country: string | null
  readonly tier: Tier
  readonly feeBps: number | null
  readonly buyFeeBps: number | null
  readonly sellFeeBps: number | null
  readonly childDefaultFeeBps: number | null
  readonly at: Date
}

const INSERT_ACCOUNT = sql(
  'identity.insert_account',
  `insert into identity.account (id, kind, parent_id, currency, email, name, external_id, platform_id, country, tier,
     fee_bps, buy_fee_bps, sell_fee_bps, child_default_fee_bps, created_at, updated_at, description)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $16)
   on conflict on constraint account_external_id_once do nothing
   returning ${SUB_USER.list}`,
)

/** False when the parent has given this external id to an account before. */
export async function insertAccount(tx: Tx, account: NewAccount): Promise<boolean> {
  const rows = await tx.query(INSERT_ACCOUNT, [
    account.id,
    account.kind,
    account.parentId,
    account.currency,
    account.email,
    account.name,
    account.externalId,
    account.platformId,
    account.country,
    account.tier,
    account.feeBps,
    account.buyFeeBps,
    account.sellFeeBps,
    account.childDefaultFeeBps,
    account.at,
    account.description,
  ])
  return rows.length > 0
}

const MERCHANT = columns<Omit<Merchant, 'fees'> & Merchant['fees']>('', {
  id: text,
  email: text,
  country: text,
  currency: text,
  feeBps: int,
  buyFeeBps: int,
  sellFeeBps: int,
  childDefaultFeeBps: int,
  createdAt: time,
}).to(
  ({ feeBps, buyFeeBps, sellFeeBps, childDefaultFeeBps, ...merchant }): Merchant => ({
    ...merchant,
    fees: { feeBps, buyFeeBps, sellFeeBps, childDefaultFeeBps },
  }),
)

const FIND_MERCHANT = sql(
  'identity.find_merchant',
  `select ${MERCHANT.list} from identity.account where id = $1 and kind = 'merchant'`,
)

export const findMerchant = (db: Queryable, id: string): Promise<Merchant | null> =>
  MERCHANT.first(db, FIND_MERCHANT, [id])

const SET_TIER = sql(
  'identity.set_tier',
  `update identity.account set tier = $2, updated_at = $3
   where id = $1 and kind in ('merchant', 'partner', 'child') and status <> 'deleted' returning id`,
)

/** How much an account may ask from now on; its processes hear of it at once. False: no such merchant. */
export const setTier = async (tx: Tx, id: string, tier: Tier, at: Date): Promise<boolean> =>
  (await tx.query(SET_TIER, [id, tier, at])).length > 0

// ---------------------------------------------------------------- callers

export interface CallerQuery {
  readonly merchantId: string
  /** The id to look for: the merchant's own, or a reference that has the form of one. */
  readonly accountId: string | null
  /** The external id to look for; null when the merchant itself is asked for. */
  readonly externalId: string | null
}

export interface CallerRow {
  readonly position: number
  readonly id: string
  readonly kind: 'merchant' | 'sub_user'
  readonly status: 'active' | 'suspended'
  readonly currency: Currency
  readonly platform_id: string | null
  readonly fee_bps: number | null
  readonly buy_fee_bps: number
  readonly sell_fee_bps: number
  readonly child_default_fee_bps: number | null
  readonly primary_url: string | null
  readonly primary_platform_id: string | null
}

// Every part is a lateral look-up by a unique index with a limit, so that no plan can turn a batch into
// a scan of all accounts. An id goes before an equal external id of another sub-user.
// The arrays come by way of a select, so that the planner does not see how long they are: seeing it, it
// planned every call anew, which took four times as long as the call.
export const FIND_CALLERS = sql(
  'identity.find_callers',
  `select asked.position::int, account.id, account.kind, account.status, account.currency, account.platform_id,
     account.fee_bps, merchant.buy_fee_bps, merchant.sell_fee_bps, merchant.child_default_fee_bps,
     primary_url.url primary_url, primary_url.platform_id primary_platform_id
   from unnest((select $1::uuid[]), (select $2::uuid[]), (select $3::text[])) with ordinality
     asked (merchant_id, account_id, external_id, position)
   cross join lateral (
     select * from (
       (select 1 rank, a.* from identity.account a
          where a.id = asked.account_id and a.status <> 'deleted'
            and (a.parent_id = asked.merchant_id or (asked.external_id is null and a.id = asked.merchant_id)))
       union all
       (select 2, a.* from identity.account a
          where a.parent_id = asked.merchant_id and a.external_id = asked.external_id and a.status <> 'deleted')
     ) found order by rank limit 1) account
   cross join lateral (
     select * from identity.account a where a.id = asked.merchant_id limit 1) merchant
   left join lateral (
     select t.url, t.platform_id from identity.trade_url t
       where t.account_id = account.id and t.is_primary limit 1) primary_url on true`,
)

export const findCallers = (db: Queryable, queries: readonly CallerQuery[]): Promise<CallerRow[]> =>
  db.query<CallerRow>(FIND_CALLERS, [
    queries.map((query) => query.merchantId),
    queries.map((query) => query.accountId),
    queries.map((query) => query.externalId),
  ])

// ---------------------------------------------------------------- sub-users

const FIND_SUB_USER = sql(
  'identity.find_sub_user',
  `select ${SUB_USER.list} from (
     (select 1 rank, a.* from identity.account a where a.id = $2 and a.parent_id = $1)
     union all
     (select 2, a.* from identity.account a where a.parent_id = $1 and a.external_id = $3)
   ) found where status <> 'deleted' order by rank limit 1`,
)

export const findSubUser = (
  db: Queryable,
  merchantId: string,
  { id, externalId }: { id: string | null; externalId: string },
): Promise<SubUser | null> => SUB_USER.first(db, FIND_SUB_USER, [merchantId, id, externalId])

const FIND_SUB_USERS = sql(
  'identity.find_sub_users',
  `select ${SUB_USER.list}, asked_for "askedFor" from unnest($2::text[], $3::uuid[]) asked (asked_for, asked_id)
   cross join lateral (
     select * from (
       (select 1 rank, a.* from identity.account a where a.id = asked_id and a.parent_id = $1)
       union all
       (select 2, a.* from identity.account a where a.parent_id = $1 and a.external_id = asked_for)
     ) found where status <> 'deleted' order by rank limit 1) one`,
)

/** By reference, as `getSubUser` finds each; a reference that names none is left out. */
export async function findSubUsers(
  db: Queryable,
  merchantId: string,
  references: readonly string[],
): Promise<ReadonlyMap<string, SubUser>> {
  const asked = [...new Set(references)]
  if (asked.length === 0) return new Map()
  const ids = asked.map((reference) => (isUuid(reference) ? reference : null))
  const rows = await db.query<Row<SubUser> & { readonly askedFor: string }>(FIND_SUB_USERS, [
    merchantId,
    asked,
    ids,
  ])
  return new Map(rows.map((row) => [row.askedFor, SUB_USER.of(row)]))
}

const FIND_BY_EXTERNAL_ID = sql(
  'identity.find_by_external_id',
  `select ${SUB_USER.list} from identity.account where parent_id = $1 and external_id = $2`,
)

/** Deleted ones included. */
export const findByExternalId = (
  db: Queryable,
  merchantId: string,
  externalId: string,
): Promise<SubUser | null> => SUB_USER.first(db, FIND_BY_EXTERNAL_ID, [merchantId, externalId])

const IS_OWN_ID = sql(
  'identity.is_own_id',
  `select exists (select from identity.account where id = $2 and $1 in (id, parent_id) and id is distinct from $3) found`,
)

/** Whether this is the id of the merchant or of one of its sub-users, `exceptId` aside. */
export async function isOwnId(
  db: Queryable,
  { merchantId, id, exceptId }: { merchantId: string; id: string; exceptId: string | null },
): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(IS_OWN_ID, [merchantId, id, exceptId])
  return row?.found ?? false
}

export interface SubUserFilter {
  /** The beginning of an email, an external id or a platform id. */
  readonly prefix: string | null
  /** Null: all but deleted ones. */
  readonly status: AccountStatus | null
}

// A prefix is a range in byte order, which the indexes of these columns have; LIKE with a parameter
// could not use them.
const MATCHES = `parent_id = $1
     and case when $2::text is null then status <> 'deleted' else status = $2 end
     and ($3::text is null
       or (external_id >= $3 and external_id < $3 || chr(1114111))
       or (platform_id >= $3 and platform_id < $3 || chr(1114111))
       or (lower(email) collate "C" >= lower($3) and lower(email) collate "C" < lower($3) || chr(1114111)))`

const COUNT_SUB_USERS = sql(
  'identity.count_sub_users',
  `select count(*)::int count from identity.account where ${MATCHES}`,
)
const LIST_SUB_USERS = sql(
  'identity.list_sub_users',
  `select ${SUB_USER.list} from identity.account where ${MATCHES} order by id desc limit $4 offset $5`,
)

export async function countSubUsers(
  db: Queryable,
  merchantId: string,
  filter: SubUserFilter,
): Promise<number> {
  const values = [merchantId, filter.status, filter.prefix]
  const [row] = await db.query<{ count: number }>(COUNT_SUB_USERS, values)
  return row?.count ?? 0
}

export async function readSubUsers(
  db: Queryable,
  merchantId: string,
  filter: SubUserFilter,
  { limit, offset }: { limit: number; offset: number | bigint },
): Promise<SubUser[]> {
  const values = [merchantId, filter.status, filter.prefix, limit, offset]
  return SUB_USER.all(db, LIST_SUB_USERS, values)
}

const SUB_USERS_AFTER = sql(
  'identity.sub_users_after',
  `select ${SUB_USER.list} from identity.account
   where (${MATCHES} or (parent_id = $1 and id = $6::uuid)) and ($4::uuid is null or id < $4)
   order by id desc limit $5`,
)

/** Those after `cursor`, newest first; an exact id is found as well. */
export async function readSubUsersAfter(
  db: Queryable,
  merchantId: string,
  filter: SubUserFilter,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<SubUser[]> {
  const id = filter.prefix !== null && isUuid(filter.prefix) ? filter.prefix : null
  const values = [merchantId, filter.status, filter.prefix, cursor, limit, id]
  return SUB_USER.all(db, SUB_USERS_AFTER, values)
}

const CHILDREN = sql(
  'identity.all_sub_users',
  `select ${SUB_USER.list} from identity.account where parent_id = $1 order by id desc limit $2`,
)
const CHILDREN_BY_ID = sql(
  'identity.sub_users_by_id',
  `select ${SUB_USER.list} from identity.account where parent_id = $1 and id = any ($2::uuid[]) limit 10000`,
)

const EXTERNAL_IDS = sql(
  'identity.external_ids',
  'select id, external_id "externalId" from identity.account where id = any ($1::uuid[])',
)
/** What merchants call these accounts; null for one without such a reference. */
export async function readExternalIds(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<{ id: string; externalId: string | null }>(EXTERNAL_IDS, [ids])
  return new Map(rows.map(({ id, externalId }) => [id, externalId]))
}

/** Deleted ones included. */
export const readNewestSubUsers = (
  db: Queryable,
  merchantId: string,
  limit: number,
): Promise<SubUser[]> => SUB_USER.all(db, CHILDREN, [merchantId, limit])

/** In the order of the ids; what is no sub-user of the merchant is left out. */
export async function readSubUsersById(
  db: Queryable,
  merchantId: string,
  ids: readonly string[],
): Promise<SubUser[]> {
  const subUsers = await SUB_USER.all(db, CHILDREN_BY_ID, [merchantId, ids])
  const found = new Map(subUsers.map((subUser) => [subUser.id, subUser]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

const UPDATE_SUB_USER = sql(
  'identity.update_sub_user',
  `update identity.account set email = coalesce($2, email), platform_id = coalesce($3, platform_id),
     external_id = coalesce($4, external_id), updated_at = $5,
     limit_per_trade = case when not $6 then coalesce($7, limit_per_trade) end,
     limit_per_day = case when not $6 then coalesce($8, limit_per_day) end,
     limit_open_trades = case when not $6 then coalesce($9, limit_open_trades) end
   where id = $1 and status <> 'deleted' returning ${SUB_USER.list}`,
)

/** What is null or left out stays as it was; null limits are lifted. */
export const updateSubUser = (
  tx: Tx,
  id: string,
  { email, platformId, externalId, limits, at }: SubUserChange,
): Promise<SubUser | null> =>
  SUB_USER.first(tx, UPDATE_SUB_USER, [
    ...[id, email, platformId, externalId, at, limits === null],
    ...[limits?.perTrade ?? null, limits?.perDay ?? null, limits?.openTrades ?? null],
  ])

const SET_STATUS = sql(
  'identity.set_status',
  `update identity.account set status = $2, updated_at = case status when $2 then updated_at else $3 end
   where id = $1 and status <> 'deleted' returning ${SUB_USER.list}`,
)

export const setStatus = (
  tx: Tx,
  id: string,
  status: 'active' | 'suspended',
  at: Date,
): Promise<SubUser | null> => SUB_USER.first(tx, SET_STATUS, [id, status, at])

const SUSPENDED = sql(
  'identity.find_suspended',
  `select id from identity.account where id = any($1::uuid[]) and status = 'suspended'`,
)
/** Those of the accounts that are suspended. */
export async function findSuspended(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set((await db.query<{ id: string }>(SUSPENDED, [ids])).map(({ id }) => id))
}

const IS_MERCHANT = `select id from identity.account where kind = 'merchant' and status <> 'deleted'`
const FIND_ONLY_MERCHANT = sql('identity.find_only_merchant', `${IS_MERCHANT} limit 2`)
const FIND_MERCHANT_BY_ID = sql('identity.find_merchant_by_id', `${IS_MERCHANT} and id = $1`)
const FIND_MERCHANT_BY_EMAIL = sql(
  'identity.find_merchant_by_email',
  `${IS_MERCHANT} and lower(email) = lower($1)`,
)
/** By id or e-mail; null means "the only one". Null when there is none, or more than one. */
export async function findMerchantId(
  db: Queryable,
  reference: string | null,
): Promise<string | null> {
  const [row, second] = await (reference === null
    ? db.query<{ id: string }>(FIND_ONLY_MERCHANT)
    : db.query<{ id: string }>(isUuid(reference) ? FIND_MERCHANT_BY_ID : FIND_MERCHANT_BY_EMAIL, [
        reference,
      ]))
  return row && !second ? row.id : null
}
