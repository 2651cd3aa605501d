// SQL that reads trades: by id, in lists, as figures.
import { createHash } from 'node:crypto'
import { type Queryable, type ReadDb, type Statement, sql } from '#infra/database/db'
import { type Currency, cents } from '#kernel/money'
import { type CursorPage, cursorPageOf } from '#kernel/page'
import type { ItemDescription, Status, Trade, TradeItem } from '../trade.ts'

interface TradeRow {
  id: string
  type: 'buy' | 'sell'
  tenant_id: string
  account_id: string
  platform_id: string
  trade_url: string
  external_id: string | null
  status: Status
  game: string
  currency: Currency
  total: bigint
  market_order_id: string | null
  created_at: Date
  updated_at: Date
}

interface ItemRow {
  item_id: string
  item_external_id: string | null
  catalog_item_id: string
  description: ItemDescription
  price: bigint
  house_fee: bigint
  merchant_fee: bigint
  item_status: Status
  offer_id: string | null
  failure_code: TradeItem['failure']
  failure_detail: string | null
  reverted_by: TradeItem['revertedBy']
  refunded: bigint | null
  penalty: bigint | null
  hold_ends_at: Date | null
  settled_at: Date | null
}

const TRADE_COLUMNS = `t.id, t.type, t.tenant_id, t.account_id, t.platform_id, t.trade_url, t.external_id,
  t.status, t.game, t.currency, t.total, t.market_order_id, t.created_at, t.updated_at`

/**
 * The trades that a query finds, each with its items: a row for each item, and for a trade without one.
 * One statement sees one moment, so no item is ahead of its trade.
 */
const withItems = (trades: string, order: string): string =>
  `select t.*, i.id item_id, i.external_id item_external_id, i.status item_status, i.catalog_item_id, i.description,
     i.price, i.house_fee, i.merchant_fee, i.offer_id, i.failure_code, i.failure_detail, i.reverted_by, i.refunded,
     i.penalty, i.hold_ends_at, i.settled_at
   from (${trades}) t left join trades.item i on i.trade_id = t.id order by ${order}, i.position`

type TradeWithItem<Row = TradeRow> = Row & (ItemRow | { readonly item_id: null })

const NEWEST_FIRST = 't.id desc'

/** Which trades a list shows: of `tenantId` or `accountId`, without both of all; the rest narrows. */
export interface TradeFilter {
  readonly tenantId?: string
  readonly accountId?: string
  readonly type?: 'buy' | 'sell'
  readonly statuses?: readonly Status[]
  /** Leaves out failed and reverted trades; without meaning when `statuses` is set. */
  readonly hideResolved?: boolean
  /** Any part of an item's market hash name, letter case aside. */
  readonly itemName?: string
  readonly externalId?: string
  readonly offerId?: string
  readonly tradeId?: string
  readonly from?: Date
  readonly to?: Date
}

/** Of a look for what no index finds: so many trades are looked at for one page. */
const LOOKED_AT_FOR_A_PAGE = 10_000

/**
 * Newest first, after the trade `cursor`. A page by type, status or item name may be short, or empty, and
 * have another behind it: then the cursor is the last trade that was looked at.
 */
export async function listTrades(
  db: ReadDb,
  filter: TradeFilter,
  { cursor, limit, look = LOOKED_AT_FOR_A_PAGE }: TradeSlice,
): Promise<CursorPage<Trade>> {
  const values: unknown[] = []
  const candidates = `from trades.trade t where ${indexedConditions(filter, cursor, values).join(' and ')}
    order by t.id desc`
  const indexedValues = [...values]
  const others = otherConditions(filter, values)
  const pageOf = async (
    at: Queryable,
    name: string,
    trades: string,
  ): Promise<CursorPage<Trade>> => {
    const text = withItems(`${trades} limit $${values.push(limit + 1)}`, NEWEST_FIRST)
    const rows = await at.query<TradeWithItem>(named(name, text), values)
    return cursorPageOf(tradesOf(rows), limit, (trade) => trade.id)
  }
  if (others.length === 0) return pageOf(db, 'trades.list', `select ${TRADE_COLUMNS} ${candidates}`)
  const found = `select ${TRADE_COLUMNS} from (select t.* ${candidates} limit $${values.push(look)}) t
    where ${others.join(' and ')} order by t.id desc`
  // A trade that is placed between the two statements would move the place of the last one.
  return db.snapshot(async (at) => {
    const page = await pageOf(at, 'trades.look', found)
    if (page.nextCursor !== null) return page
    const lastLooked = `select t.id ${candidates} offset $${indexedValues.push(look - 1)} limit 1`
    const [last] = await at.query<{ id: string }>(
      named('trades.last_looked', lastLooked),
      indexedValues,
    )
    return { items: page.items, nextCursor: last?.id ?? null }
  })
}

export interface TradeSlice {
  readonly cursor: string | null
  readonly limit: number
  /** At most so many trades are looked at for a type, a status or an item's name. */
  readonly look?: number
}

/** What an index finds, as conditions on `t`; their values are appended. */
function indexedConditions(
  filter: TradeFilter,
  cursor: string | null,
  values: unknown[],
): readonly string[] {
  const conditions: string[] = []
  const where = (condition: (parameter: string) => string, value: unknown): void => {
    conditions.push(condition(`$${values.push(value)}`))
  }
  if (filter.tenantId) where((p) => `t.tenant_id = ${p}`, filter.tenantId)
  if (filter.accountId) where((p) => `t.account_id = ${p}`, filter.accountId)
  if (filter.externalId) where((p) => `t.external_id = ${p}`, filter.externalId)
  if (filter.tradeId) where((p) => `t.id = ${p}`, filter.tradeId)
  // In the order of ids, which is that of the list, the walk ends where the range begins.
  if (filter.from) {
    where((p) => `t.created_at >= ${p} and t.id >= trades.first_id(${p})`, filter.from)
  }
  if (filter.to) {
    where((p) => `t.created_at <= ${p}`, filter.to)
    // Over all tenants it begins where the range ends, too: a trade is recorded within a day of its own time.
    if (!filter.tenantId && !filter.accountId) {
      where((p) => `t.id < trades.first_id(${p}::timestamptz + interval '49 hours')`, filter.to)
    }
  }
  if (filter.offerId) {
    where((p) => `t.id in (select trade_id from trades.item where offer_id = ${p})`, filter.offerId)
  }
  where((p) => `t.id < ${p}`, cursor ?? LAST_UUID)
  return conditions
}

/** The rest of a filter; its values are appended. */
function otherConditions(filter: TradeFilter, values: unknown[]): readonly string[] {
  const conditions: string[] = []
  if (filter.type) conditions.push(`t.type = $${values.push(filter.type)}`)
  if (filter.statuses) {
    conditions.push(`t.status = any ($${values.push(filter.statuses)}::trades.status[])`)
  } else if (filter.hideResolved) conditions.push(`t.status not in ('failed', 'reverted')`)
  if (filter.itemName) {
    const pattern = `%${filter.itemName.replace(/[\\%_]/g, '\\$&')}%`
    conditions.push(`exists (select from trades.item i where i.trade_id = t.id
      and i.description ->> 'marketHashName' ilike $${values.push(pattern)})`)
  }
  return conditions
}

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const names = new Map<string, Statement>()
/** A statement whose text depends on the filters in use; each combination is planned once. */
function named(prefix: string, text: string): Statement {
  let statement = names.get(text)
  if (!statement) {
    statement = sql(`${prefix}.${createHash('sha1').update(text).digest('hex').slice(0, 12)}`, text)
    names.set(text, statement)
  }
  return statement
}

const TRADES_BY_ID = sql(
  'trades.trades_by_id',
  withItems(
    `select ${TRADE_COLUMNS} from trades.trade t where t.id = any ($1::uuid[]) limit 1000`,
    NEWEST_FIRST,
  ),
)
export const readTrades = async (db: Queryable, ids: readonly string[]): Promise<Trade[]> =>
  tradesOf(await db.query<TradeWithItem>(TRADES_BY_ID, [ids]))

export const LOOK_UP = sql(
  'trades.look_up',
  withItems(
    `select wanted.position::int "position", t.total_count::int total_count, ${TRADE_COLUMNS}
     from unnest($2::text[]) with ordinality wanted (external_id, position)
     cross join lateral (
       select t.*, count(*) over () total_count from (
         select c.* from trades.trade c where c.tenant_id = $1 and c.external_id = wanted.external_id limit $4) t
       order by t.id desc limit $3) t`,
    `t.position, ${NEWEST_FIRST}`,
  ),
)

export interface Matches {
  /** Newest first. */
  readonly trades: readonly Trade[]
  /** All of them, those that are not shown included; at most as many as are counted. */
  readonly total: number
}

/**
 * The trades of a tenant under each external id, in the order of the ids: of each at most `counted` are
 * looked at, and the newest `shown` of these are read.
 */
export async function lookUpTrades(
  db: Queryable,
  tenantId: string,
  externalIds: readonly string[],
  { shown, counted }: { readonly shown: number; readonly counted: number },
): Promise<Matches[]> {
  type Row = TradeWithItem<TradeRow & { position: number; total_count: number }>
  const rows = await db.query<Row>(LOOK_UP, [tenantId, externalIds, shown, counted])
  const byPosition = Map.groupBy(rows, (row) => row.position)
  return externalIds.map((_, i) => {
    const found = byPosition.get(i + 1) ?? []
    return { trades: byTrade(found).map(tradeOfRows), total: found[0]?.total_count ?? 0 }
  })
}

const tradesOf = (rows: readonly TradeWithItem[]): Trade[] => byTrade(rows).map(tradeOfRows)

/** The rows of each trade: one for each of its items, in their order. */
const byTrade = (rows: readonly TradeWithItem[]): TradeWithItem[][] => [
  ...Map.groupBy(rows, (row) => row.id).values(),
]

function tradeOfRows(rows: readonly TradeWithItem[]): Trade {
  const [first] = rows as [TradeWithItem]
  return tradeOf(
    first,
    rows.flatMap((row) => (row.item_id === null ? [] : itemOf(row))),
  )
}

const tradeOf = (row: TradeRow, items: readonly TradeItem[]): Trade => ({
  id: row.id,
  type: row.type,
  tenantId: row.tenant_id,
  accountId: row.account_id,
  platformId: row.platform_id,
  tradeUrl: row.trade_url,
  externalId: row.external_id,
  status: row.status,
  game: row.game,
  currency: row.currency,
  total: cents(row.total),
  marketOrderId: row.market_order_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  items,
})

const itemOf = (row: ItemRow): TradeItem => ({
  id: row.item_id,
  externalId: row.item_external_id,
  catalogItemId: row.catalog_item_id,
  description: row.description,
  price: cents(row.price),
  houseFee: cents(row.house_fee),
  merchantFee: cents(row.merchant_fee),
  status: row.item_status,
  offerId: row.offer_id,
  failure: row.failure_code,
  failureDetail: row.failure_detail,
  revertedBy: row.reverted_by,
  refund:
    row.refunded === null || row.penalty === null
      ? null
      : {
          refunded: cents(row.refunded),
          penalty: cents(row.penalty),
          buyerFault: row.item_status === 'declined' || row.reverted_by === 'user',
        },
  holdEndsAt: row.hold_ends_at,
  settledAt: row.settled_at,
})

const ACCOUNTS_WITH_OPEN_TRADES = sql(
  'trades.accounts_with_open_trades',
  `select asked.id from unnest($1::uuid[]) asked (id)
   where exists (select from trades.trade t where t.account_id = asked.id and t.status < 'completed')`,
)

/** Which of these accounts have a trade that has not ended. */
export async function findAccountsWithOpenTrades(
  db: Queryable,
  accountIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(ACCOUNTS_WITH_OPEN_TRADES, [accountIds])
  return rows.map(({ id }) => id)
}

/** Of so many of the newest trades: older ones have long had their effect on an inventory. */
const LAST_MOVE = sql(
  'trades.last_move_of',
  `select max(updated_at) at from (
     select updated_at from trades.trade where account_id = $1 order by id desc limit 100) newest`,
)

/** When a trade of the account last moved; null without any. */
export async function lastMoveOf(db: Queryable, accountId: string): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(LAST_MOVE, [accountId])
  return row?.at ?? null
}
