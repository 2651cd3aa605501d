// SQL of orders that a restore has lost with their trades.
import { columns, json, type Row, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type Cents, type Currency, cents, type Mills, mills } from '#kernel/money'
import {
  type ItemDescription,
  type NewTrade,
  newTradeValues,
  type Receipt,
  type ReceiptRow,
  receiptOf,
} from '#trades'
import type { MarketId } from '../ports.ts'

const NOTE_RESTORE = sql('buying.note_restore', 'select buying.note_restore($1, $2, $3) id')
/** The id of the restore that began this history: the one that another process has noted, or a new one. */
export async function noteRestore(
  db: Queryable,
  restore: { readonly history: string; readonly copyOf: Date; readonly at: Date },
): Promise<string> {
  const values = [restore.history, restore.copyOf, restore.at]
  const [row] = await db.query<{ id: string }>(NOTE_RESTORE, values)
  return row?.id ?? ''
}

/** An order as it was noted before it left; money in cents of the wallet's currency. */
export interface NewLostOrder {
  readonly itemId: string
  readonly attempt: number
  readonly customId: string
  readonly begunAt: Date
  readonly market: string
  readonly marketAccount: string
  readonly tenantId: string
  readonly accountId: string
  readonly userExternalId: string | null
  readonly externalId: string | null
  readonly tradeUrl: string
  readonly listingId: bigint
  readonly rawListingId: string
  readonly game: string
  readonly catalogItemId: string
  /** JSON. */
  readonly description: string
  readonly currency: string
  readonly sourcingMills: bigint
  readonly price: bigint
  readonly houseFee: bigint
  readonly merchantFee: bigint
}

const INSERT = sql(
  'buying.insert_lost_orders',
  `insert into buying.lost_order (custom_id, restore_id, market, market_account, tenant_id, account_id,
     user_external_id, external_id, trade_url, listing_id, raw_listing_id, game, catalog_item_id, description,
     currency, sourcing_mills, price, house_fee, merchant_fee, begun_at)
   select l.custom_id, $1, l.market, l.market_account, l.tenant_id, l.account_id, l.user_external_id,
     l.external_id, l.trade_url, l.listing_id, l.raw_listing_id, l.game, l.catalog_item_id, l.description,
     l.currency, l.sourcing_mills, l.price, l.house_fee, l.merchant_fee, l.begun_at
   from unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::uuid[], $8::text[], $9::text[],
     $10::text[], $11::bigint[], $12::text[], $13::text[], $14::text[], $15::jsonb[], $16::ledger.currency[],
     $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::timestamptz[])
     l (custom_id, item_id, market, market_account, tenant_id, account_id, user_external_id, external_id,
       trade_url, listing_id, raw_listing_id, game, catalog_item_id, description, currency, sourcing_mills, price,
       house_fee, merchant_fee, begun_at)
   where not exists (select from buying.item i where i.id = l.item_id)
     and not exists (select from buying.supplier_order o where o.custom_id = l.custom_id)
   order by l.custom_id
   on conflict do nothing returning custom_id`,
)
/** How many were not known: those whose item is there, or that were noted before, are left out. */
export async function insertLostOrders(
  db: Queryable,
  restoreId: string,
  orders: readonly NewLostOrder[],
): Promise<number> {
  const of = <Key extends keyof NewLostOrder>(key: Key) => orders.map((order) => order[key])
  const rows = await db.query(INSERT, [
    ...[restoreId, of('customId'), of('itemId'), of('market'), of('marketAccount'), of('tenantId')],
    ...[of('accountId'), of('userExternalId'), of('externalId'), of('tradeUrl'), of('listingId')],
    ...[of('rawListingId'), of('game'), of('catalogItemId'), of('description'), of('currency')],
    ...[of('sourcingMills'), of('price'), of('houseFee'), of('merchantFee'), of('begunAt')],
  ])
  return rows.length
}

export interface LostOrder {
  readonly customId: string
  readonly market: MarketId
  readonly tenantId: string
  readonly accountId: string
  readonly userExternalId: string | null
  /** Of its trade. */
  readonly externalId: string | null
  readonly tradeUrl: string
  readonly listingId: bigint
  readonly rawListingId: string
  readonly game: string
  readonly catalogItemId: string
  readonly description: ItemDescription
  readonly currency: Currency
  readonly sourcingMills: Mills
  /** What the buyer had paid. */
  readonly price: Cents
  /** The part of it that the market asked. */
  readonly sourcing: Cents
  readonly begunAt: Date
  /** The trade that a repeated buy has made of it. */
  readonly tradeId: string | null
  readonly closedAt: Date | null
}

const LOST_ORDER = columns<LostOrder>('l.', {
  customId: text,
  market: text,
  tenantId: text,
  accountId: text,
  userExternalId: text,
  externalId: text,
  tradeUrl: text,
  listingId: (id: bigint) => id,
  rawListingId: text,
  game: text,
  catalogItemId: text,
  description: json,
  currency: text,
  sourcingMills: mills,
  price: cents,
  sourcing: ['(l.price - l.house_fee - l.merchant_fee)', cents],
  begunAt: time,
  tradeId: text,
  closedAt: time,
})

const OF_IDS = sql(
  'buying.lost_orders_of_ids',
  `select ${LOST_ORDER.list} from buying.lost_order l where l.custom_id = any ($1::text[]) limit 200000`,
)
export const listLostOrders = (
  db: Queryable,
  customIds: readonly string[],
): Promise<LostOrder[]> =>
  customIds.length === 0 ? Promise.resolve([]) : LOST_ORDER.all(db, OF_IDS, [customIds])

const OF_EXTERNAL_ID = sql(
  'buying.lost_orders_of_external_id',
  `select ${LOST_ORDER.list} from buying.lost_order l
   where l.tenant_id = $1 and l.external_id = $3 and l.trade_id is null
     and (l.account_id = $2 or l.user_external_id = identity.external_id_of($2))
   order by l.custom_id limit 200`,
)
/** Those of a trade that no trade has adopted: `buying.is_lost` refuses a buy under its external id. */
export const listLostOf = (
  db: Queryable,
  of: { readonly tenantId: string; readonly accountId: string; readonly externalId: string },
): Promise<LostOrder[]> =>
  LOST_ORDER.all(db, OF_EXTERNAL_ID, [of.tenantId, of.accountId, of.externalId])

const ADOPT = sql(
  'buying.adopt_order',
  `select b.*, trades.count_buy(b.trade_id, b.replayed, $15, $11)
   from buying.adopt_order($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) b`,
)
/** Raises what `buying.adopt_order` documents. */
export async function adoptOrder(
  tx: Tx,
  trade: NewTrade,
  order: {
    readonly customId: string
    readonly itemExternalId: string | null
    readonly price: Cents
    readonly keyId: string | null
  },
): Promise<Receipt> {
  const { customId, itemExternalId, price, keyId } = order
  const values = [...newTradeValues(trade), customId, itemExternalId, price, keyId]
  const [row] = await tx.query<ReceiptRow>(ADOPT, values)
  return receiptOf(row as ReceiptRow)
}

export interface Restore {
  readonly id: string
  /** Of the newest thing that the restored database had. */
  readonly copyOf: Date
  readonly restoredAt: Date
  /** Of one tenant, oldest first. */
  readonly lost: readonly LostOrder[]
}

const RESTORE = columns<Omit<Restore, 'lost'>>('r.', { id: text, copyOf: time, restoredAt: time })
const LIST_RESTORES = sql(
  'buying.list_restores',
  `select ${RESTORE.list} from buying.restore r where ($1::uuid is null or r.id < $1) order by r.id desc limit $2`,
)
const MOST_LOST = 10_000
const OF_RESTORES = sql(
  'buying.lost_orders_of_restores',
  `select ${LOST_ORDER.list}, l.restore_id "restoreId" from buying.lost_order l
   where l.restore_id = any ($1::uuid[]) and l.tenant_id = $2 and l.trade_id is null
   order by l.begun_at, l.custom_id limit ${MOST_LOST}`,
)
/** Newest first, each with what of the tenant it lost and no trade has adopted. */
export async function listRestores(
  db: Queryable,
  {
    tenantId,
    cursor,
    limit,
  }: { readonly tenantId: string; readonly cursor: string | null; readonly limit: number },
): Promise<{ readonly items: readonly Restore[]; readonly nextCursor: string | null }> {
  const found = await RESTORE.all(db, LIST_RESTORES, [cursor, limit + 1])
  const restores = found.slice(0, limit)
  const ids = restores.map(({ id }) => id)
  type LostRow = Row<LostOrder> & { readonly restoreId: string }
  const rows = ids.length === 0 ? [] : await db.query<LostRow>(OF_RESTORES, [ids, tenantId])
  const items = restores.map((restore) => ({
    ...restore,
    lost: rows.filter(({ restoreId }) => restoreId === restore.id).map(LOST_ORDER.of),
  }))
  return { items, nextCursor: found.length > limit ? (ids.at(-1) ?? null) : null }
}

const FIND_RESTORE = sql(
  'buying.find_restore',
  `select ${RESTORE.list} from buying.restore r where r.id = $1`,
)
export const findRestore = (db: Queryable, id: string): Promise<Omit<Restore, 'lost'> | null> =>
  RESTORE.first(db, FIND_RESTORE, [id])

const MOST_UNADOPTED = 200_000
export type UnadoptedOrder = LostOrder & { readonly restoreId: string }

const UNADOPTED = sql(
  'buying.unadopted_orders',
  `select ${LOST_ORDER.list}, l.restore_id "restoreId" from buying.lost_order l
   where ($1::uuid is null or l.restore_id = $1) and l.adopted_at is null and l.closed_at is null
   order by l.tenant_id, l.begun_at, l.custom_id limit ${MOST_UNADOPTED}`,
)
/** By tenant, oldest first: those that no buy has adopted and that were not booked as a loss. */
export async function listUnadopted(
  db: Queryable,
  restoreId: string | null,
): Promise<UnadoptedOrder[]> {
  type LostRow = Row<LostOrder> & { readonly restoreId: string }
  const rows = await db.query<LostRow>(UNADOPTED, [restoreId])
  return rows.map((row) => ({ ...LOST_ORDER.of(row), restoreId: row.restoreId }))
}

const CLOSE = sql(
  'buying.close_lost_orders',
  `update buying.lost_order set closed_at = $2
   where restore_id = $1 and adopted_at is null and closed_at is null returning custom_id "customId"`,
)
/** No buy adopts them any more. Their ids. */
export async function closeLostOrders(tx: Tx, restoreId: string, at: Date): Promise<string[]> {
  const rows = await tx.query<{ customId: string }>(CLOSE, [restoreId, at])
  return rows.map(({ customId }) => customId)
}
