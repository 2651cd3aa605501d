// SQL of market orders: what their account does with them and reads of them.
import { columns, int, json, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type Cents, type Currency, cents } from '#kernel/money'
import { type CursorPage, cursorPageOf } from '#kernel/page'
import type { MarketOrder, MarketOrderFilters, MarketOrderStatus } from '../market-order.ts'

const ORDER = columns<MarketOrder>('o.', {
  id: text,
  tenantId: text,
  accountId: text,
  keyId: text,
  userExternalId: ['identity.external_id_of(o.account_id)', text],
  externalId: text,
  itemId: text,
  marketHashName: text,
  filters: json,
  tradeUrl: text,
  currency: text,
  maxPrice: cents,
  quantity: int,
  pending: int,
  filled: int,
  status: text,
  pausedReason: text,
  tradeIds: [
    `array(select f.trade_id from bidding.fill f where f.tenant_id = o.tenant_id and f.order_id = o.id
       order by f.trade_id limit 10000)`,
    json,
  ],
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
})

export interface NewMarketOrder {
  readonly tenantId: string
  readonly accountId: string
  readonly keyId: string | null
  readonly externalId: string
  readonly requestHash: Buffer
  readonly itemId: string
  readonly marketHashName: string
  readonly filters: MarketOrderFilters
  readonly tradeUrl: string | null
  readonly platformId: string | null
  readonly currency: Currency
  readonly maxPrice: Cents
  readonly quantity: number
  readonly expiresAt: Date
  readonly isPaused: boolean
  readonly at: Date
}

const PLACE = sql(
  'bidding.place_order',
  `select p.id, p.replayed from bidding.place_order($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
     $20) p`,
)
/** The order, or the one that has its external id. Raises what `bidding.place_order` does. */
export async function insertOrder(
  db: Queryable,
  order: NewMarketOrder,
): Promise<{ readonly id: string; readonly replayed: boolean }> {
  const { delivery, minWear, maxWear, paintSeeds } = order.filters
  const [row] = await db.query<{ id: string; replayed: boolean }>(PLACE, [
    ...[order.tenantId, order.accountId, order.keyId, order.externalId, order.requestHash],
    ...[order.itemId, order.marketHashName, JSON.stringify(order.filters), delivery === 'instant'],
    ...[minWear, maxWear, paintSeeds, order.tradeUrl, order.platformId, order.currency],
    ...[order.maxPrice, order.quantity, order.expiresAt, order.isPaused, order.at],
  ])
  return row as { id: string; replayed: boolean }
}

const REPLAY = sql(
  'bidding.find_replay',
  `select o.id, o.request_hash from bidding.market_order o
   where o.tenant_id = $1 and o.account_id = $2 and o.external_id = $3`,
)
/** The order under an external id, with the hash of its request. */
export async function findReplay(
  db: Queryable,
  key: Pick<NewMarketOrder, 'tenantId' | 'accountId' | 'externalId'>,
): Promise<{ id: string; requestHash: Buffer } | null> {
  const values = [key.tenantId, key.accountId, key.externalId]
  const [row] = await db.query<{ id: string; request_hash: Buffer }>(REPLAY, values)
  return row ? { id: row.id, requestHash: row.request_hash } : null
}

/** Whose order, and which. */
export interface OrderOfAccount {
  readonly tenantId: string
  readonly accountId: string
  readonly id: string
}

const OF_ACCOUNT = 'o.tenant_id = $1 and o.account_id = $2 and o.id = $3'
const FIND = sql(
  'bidding.find_order',
  `select ${ORDER.list} from bidding.market_order o where ${OF_ACCOUNT}`,
)
export const findOrder = (db: Queryable, { tenantId, accountId, id }: OrderOfAccount) =>
  ORDER.first(db, FIND, [tenantId, accountId, id])

const FIND_OF_TENANT = sql(
  'bidding.find_order_of_tenant',
  `select ${ORDER.list} from bidding.market_order o where o.tenant_id = $1 and o.id = $2`,
)
/** Of any account of the tenant. */
export const findOrderOfTenant = (db: Queryable, tenantId: string, id: string) =>
  ORDER.first(db, FIND_OF_TENANT, [tenantId, id])

const LOCK = sql(
  'bidding.lock_order',
  `select ${ORDER.list} from bidding.market_order o where ${OF_ACCOUNT} for no key update`,
)
export const lockOrder = (tx: Tx, { tenantId, accountId, id }: OrderOfAccount) =>
  ORDER.first(tx, LOCK, [tenantId, accountId, id])

const READ = sql(
  'bidding.read_orders',
  `select ${ORDER.list} from unnest($1::uuid[]) wanted (id)
   join bidding.market_order o on o.id = wanted.id limit 10000`,
)
/** Of any tenant: the subjects of events. */
export const readOrders = (db: Queryable, ids: readonly string[]): Promise<MarketOrder[]> =>
  ORDER.all(db, READ, [ids])

export interface MarketOrderFilter {
  readonly tenantId: string
  /** Null: of all accounts of the tenant. */
  readonly accountId: string | null
  readonly status: MarketOrderStatus | null
  readonly itemId: string | null
  readonly externalId: string | null
}

export interface OrderSlice {
  readonly cursor: string | null
  readonly limit: number
}

const CONDITIONS = {
  accountId: 'o.account_id',
  status: 'o.status::text',
  itemId: 'o.item_id',
  externalId: 'o.external_id',
} as const

/** Newest first, after the order `cursor`. */
export async function listOrders(
  db: Queryable,
  filter: MarketOrderFilter,
  { cursor, limit }: OrderSlice,
): Promise<CursorPage<MarketOrder>> {
  const keys = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter(
    (key) => filter[key] !== null,
  )
  const text = `select ${ORDER.list} from bidding.market_order o
    where o.tenant_id = $1 and o.id < $2 ${keys.map((key, i) => `and ${CONDITIONS[key]} = $${i + 4}`).join(' ')}
    order by o.id desc limit $3`
  const values = [
    filter.tenantId,
    cursor ?? LAST_UUID,
    limit + 1,
    ...keys.map((key) => filter[key]),
  ]
  const rows = await ORDER.all(db, sql(['bidding.list', ...keys].join('_'), text), values)
  return cursorPageOf(rows, limit, ({ id }) => id)
}
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const OF_ALL = `select ${ORDER.list} from bidding.market_order o where o.id < $1`
const OF_STATUS = 'and o.status = $3::bidding.status'
const LIST_ALL = sql('bidding.list_all', `${OF_ALL} order by o.id desc limit $2`)
const LIST_OF_STATUS = sql(
  'bidding.list_of_status',
  `${OF_ALL} ${OF_STATUS} order by o.id desc limit $2`,
)
const LIST_OF_ITEM = sql(
  'bidding.list_of_item',
  `${OF_ALL} and o.item_id = $3 order by o.id desc limit $2`,
)
const LIST_OF_BOTH = sql(
  'bidding.list_of_item_and_status',
  `${OF_ALL} ${OF_STATUS} and o.item_id = $4 order by o.id desc limit $2`,
)
/** Of all tenants, for administrators; newest first, after the order `cursor`. */
export async function listAllOrders(
  db: Queryable,
  { status, itemId }: Pick<MarketOrderFilter, 'status' | 'itemId'>,
  { cursor, limit }: OrderSlice,
): Promise<CursorPage<MarketOrder>> {
  const given = [status, itemId].filter((one) => one !== null)
  const ofAll = itemId === null ? LIST_ALL : LIST_OF_ITEM
  const ofStatus = itemId === null ? LIST_OF_STATUS : LIST_OF_BOTH
  const values = [cursor ?? LAST_UUID, limit + 1, ...given]
  const rows = await ORDER.all(db, status === null ? ofAll : ofStatus, values)
  return cursorPageOf(rows, limit, ({ id }) => id)
}

const DEPTH = sql(
  'bidding.depth_of_item',
  `select o.max_price "maxPrice", sum(o.quantity - o.pending - o.filled)::int quantity from bidding.market_order o
   where o.item_id = $1 and o.currency = $2::ledger.currency and o.status = 'open'
   group by o.max_price order by o.max_price desc limit $3`,
)
export interface DepthLevel {
  readonly maxPrice: Cents
  /** Units wanted at this price. */
  readonly quantity: number
}

/** Units that all tenants want of an item in a currency, by price, the highest first. Names no one. */
export async function readDepth(
  db: Queryable,
  { itemId, currency, limit }: { itemId: string; currency: Currency; limit: number },
): Promise<DepthLevel[]> {
  const values = [itemId, currency, limit]
  const rows = await db.query<{ maxPrice: bigint; quantity: number }>(DEPTH, values)
  return rows.flatMap(({ maxPrice, quantity }) =>
    quantity > 0 ? [{ maxPrice: cents(maxPrice), quantity }] : [],
  )
}

export interface MarketOrderChange {
  readonly maxPrice: Cents | null
  readonly quantity: number | null
  readonly expiresAt: Date | null
}

// What was refused for its cost or for its recipient is tried again under the new terms; an account
// that may not act and a service that is paused stay as they are.
const GOES_ON = `o.status = 'open' or o.paused_reason not in ('ACCOUNT_SUSPENDED', 'SERVICE_DISABLED')`
const CHANGE = sql(
  'bidding.change_order',
  `update bidding.market_order o set max_price = coalesce($4, o.max_price), quantity = coalesce($5, o.quantity),
     expires_at = coalesce($6, o.expires_at), faults = 0, updated_at = $7,
     status = case when ${GOES_ON} then 'open'::bidding.status else o.status end,
     paused_reason = case when ${GOES_ON} then null else o.paused_reason end,
     needed = null, look_at = null, match_at = case when ${GOES_ON} then $7::timestamptz end
   where ${OF_ACCOUNT}`,
)
/** Of an order that the caller has locked, and that is open or paused. */
export async function updateOrder(
  tx: Tx,
  { tenantId, accountId, id }: OrderOfAccount,
  { maxPrice, quantity, expiresAt }: MarketOrderChange,
  at: Date,
): Promise<void> {
  await tx.query(CHANGE, [tenantId, accountId, id, maxPrice, quantity, expiresAt, at])
}

const END = sql('bidding.end_order', 'select bidding.end_order($1, $2, $3, $4) ended')
/** With its event. False when it had ended already. */
export async function endOrder(
  db: Queryable,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
  to: MarketOrderStatus,
  at: Date,
): Promise<boolean> {
  const [row] = await db.query<{ ended: boolean }>(END, [tenantId, id, to, at])
  return row?.ended ?? false
}

const CANCEL_ALL = sql('bidding.cancel_all', 'select bidding.cancel_all($1, $2)')
/** What accounts that are deleted in this transaction have left, each with its event. */
export async function cancelOrdersOf(
  tx: Tx,
  accountIds: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(CANCEL_ALL, [accountIds, at])
}
