// All SQL of trading.
import { createHash } from 'node:crypto'
import { type Cents, type Currency, cents, type Mills, mills } from '#kernel/money'
import { type Queryable, type Statement, sql, type Tx } from '#platform/db'
import type { MarketId } from './ports.ts'
import {
  type ItemDescription,
  type Status,
  type Step,
  statusOf,
  type Trade,
  type TradeItem,
  type WorkItem,
} from './trade.ts'

// ---------------------------------------------------------------- placing a buy

export interface NewTrade {
  readonly merchantId: string
  readonly accountId: string
  readonly platformId: string
  readonly tradeUrl: string
  readonly externalId: string | null
  readonly requestHash: Buffer
  readonly game: string
  readonly currency: Currency
  readonly usdPerEurMicros: bigint | null
  readonly requestId: string
  readonly at: Date
  readonly items: readonly NewItem[]
}

export interface NewItem {
  readonly externalId: string | null
  readonly listingId: bigint
  readonly market: MarketId
  readonly rawListingId: string
  readonly catalogItemId: string
  readonly description: ItemDescription
  readonly sourcingMills: Mills
  readonly sourcing: Cents
  readonly houseFee: Cents
  readonly merchantFee: Cents
}

export interface Receipt {
  readonly tradeId: string
  readonly replayed: boolean
  readonly itemCount: number
  readonly total: Cents
  readonly createdAt: Date
}

interface ReceiptRow {
  trade_id: string
  replayed: boolean
  item_count: number
  total: bigint
  created_at: Date
}

export const PLACE_BUY = sql(
  'trading.place_buy',
  `select * from trading.place_buy($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
    $18, $19, $20, $21)`,
)

export const placeBuyValues = (trade: NewTrade): unknown[] => {
  const column = <T>(of: (item: NewItem) => T): T[] => trade.items.map(of)
  return [
    trade.merchantId,
    trade.accountId,
    trade.platformId,
    trade.tradeUrl,
    trade.externalId,
    trade.requestHash,
    trade.game,
    trade.currency,
    trade.usdPerEurMicros,
    trade.requestId,
    trade.at,
    column((item) => item.externalId),
    column((item) => item.listingId),
    column((item) => item.market),
    column((item) => item.rawListingId),
    column((item) => item.catalogItemId),
    column((item) => JSON.stringify(item.description)),
    column((item) => item.sourcingMills),
    column((item) => item.sourcing),
    column((item) => item.houseFee),
    column((item) => item.merchantFee),
  ]
}

/** One statement, one round trip, one commit. Raises what `trading.place_buy` documents. */
export async function insertBuy(db: Queryable, trade: NewTrade): Promise<Receipt> {
  const [row] = await db.query<ReceiptRow>(PLACE_BUY, placeBuyValues(trade))
  return receiptOf(row as ReceiptRow)
}

const FIND_REPLAY = sql(
  'trading.find_replay',
  `select id trade_id, true replayed, item_count, total, created_at, request_hash
   from trading.trade where merchant_id = $1 and external_id = $2 and account_id = $3`,
)

export async function findReplay(
  db: Queryable,
  key: { merchantId: string; externalId: string; accountId: string },
): Promise<{ receipt: Receipt; requestHash: Buffer } | null> {
  const [row] = await db.query<ReceiptRow & { request_hash: Buffer }>(FIND_REPLAY, [
    key.merchantId,
    key.externalId,
    key.accountId,
  ])
  return row ? { receipt: receiptOf(row), requestHash: row.request_hash } : null
}

const receiptOf = (row: ReceiptRow): Receipt => ({
  tradeId: row.trade_id,
  replayed: row.replayed,
  itemCount: row.item_count,
  total: cents(row.total),
  createdAt: row.created_at,
})

// ---------------------------------------------------------------- the administrator's switch

const READ_SWITCH = sql('trading.read_switch', 'select paused from trading.switch limit 1')
export async function readPaused(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ paused: boolean }>(READ_SWITCH)
  return row?.paused ?? false
}

const WRITE_SWITCH = sql(
  'trading.write_switch',
  'update trading.switch set paused = $1, reason = $2, changed_at = $3',
)
export async function writePaused(
  tx: Queryable,
  change: { paused: boolean; reason: string; at: Date },
): Promise<void> {
  await tx.query(WRITE_SWITCH, [change.paused, change.reason, change.at])
}

// ---------------------------------------------------------------- reading trades

interface TradeRow {
  id: string
  type: 'buy' | 'sell'
  merchant_id: string
  account_id: string
  platform_id: string
  trade_url: string
  external_id: string | null
  status: Status
  game: string
  currency: Currency
  total: bigint
  created_at: Date
  updated_at: Date
}

interface ItemRow {
  id: string
  trade_id: string
  external_id: string | null
  description: ItemDescription
  price: bigint
  status: Status
  offer_id: string | null
  failure_code: TradeItem['failure']
  failure_detail: string | null
  reverted_by: TradeItem['revertedBy']
  refunded: bigint | null
  penalty: bigint | null
  hold_ends_at: Date | null
  settled_at: Date | null
}

const TRADE_COLUMNS = `t.id, t.type, t.merchant_id, t.account_id, t.platform_id, t.trade_url, t.external_id,
  t.status, t.game, t.currency, t.total, t.created_at, t.updated_at`

const ITEMS_OF_TRADES = sql(
  'trading.items_of_trades',
  `select id, trade_id, external_id, description, price, status, offer_id, failure_code, failure_detail,
     reverted_by, refunded, penalty, hold_ends_at, settled_at
   from trading.item where trade_id = any ($1::uuid[]) order by trade_id, position`,
)

/** Which trades a list shows. `merchantId` or `accountId` bounds it; the rest narrows. */
export interface TradeFilter {
  readonly merchantId?: string
  readonly accountId?: string
  readonly type?: 'buy' | 'sell'
  readonly status?: Status
  /** Leaves out failed and reverted trades; without meaning when `status` is set. */
  readonly hideResolved?: boolean
  /** Any part of an item's market hash name, letter case aside. */
  readonly itemName?: string
  readonly externalId?: string
  readonly offerId?: string
  readonly tradeId?: string
  readonly from?: Date
  readonly to?: Date
}

/** Newest first, after the trade `cursor`. One row more than `limit` says that more follow. */
export async function listTrades(
  db: Queryable,
  filter: TradeFilter,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<Trade[]> {
  const conditions: string[] = []
  const values: unknown[] = []
  const where = (condition: (parameter: string) => string, value: unknown): void => {
    values.push(value)
    conditions.push(condition(`$${values.length}`))
  }
  if (filter.merchantId) where((p) => `t.merchant_id = ${p}`, filter.merchantId)
  if (filter.accountId) where((p) => `t.account_id = ${p}`, filter.accountId)
  if (filter.type) where((p) => `t.type = ${p}`, filter.type)
  if (filter.status) where((p) => `t.status = ${p}`, filter.status)
  else if (filter.hideResolved) conditions.push(`t.status not in ('failed', 'reverted')`)
  if (filter.externalId) where((p) => `t.external_id = ${p}`, filter.externalId)
  if (filter.tradeId) where((p) => `t.id = ${p}`, filter.tradeId)
  if (filter.from) where((p) => `t.created_at >= ${p}`, filter.from)
  if (filter.to) where((p) => `t.created_at <= ${p}`, filter.to)
  if (filter.offerId) {
    where(
      (p) => `t.id in (select trade_id from trading.item where offer_id = ${p})`,
      filter.offerId,
    )
  }
  if (filter.itemName) {
    where(
      (p) => `exists (select from trading.item i where i.trade_id = t.id
        and i.description ->> 'marketHashName' ilike ${p})`,
      `%${filter.itemName.replace(/[\\%_]/g, '\\$&')}%`,
    )
  }
  where((p) => `t.id < ${p}`, cursor ?? LAST_UUID)
  values.push(limit + 1)
  const text = `select ${TRADE_COLUMNS} from trading.trade t where ${conditions.join(' and ')}
    order by t.id desc limit $${values.length}`
  return withItems(db, await db.query<TradeRow>(named('trading.list', text), values))
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
  'trading.trades_by_id',
  `select ${TRADE_COLUMNS} from trading.trade t where t.id = any ($1::uuid[]) limit 1000`,
)
export async function readTrades(db: Queryable, ids: readonly string[]): Promise<Trade[]> {
  return withItems(db, await db.query<TradeRow>(TRADES_BY_ID, [ids]))
}

async function withItems(db: Queryable, rows: readonly TradeRow[]): Promise<Trade[]> {
  if (rows.length === 0) return []
  const items = await db.query<ItemRow>(ITEMS_OF_TRADES, [rows.map((row) => row.id)])
  const byTrade = Map.groupBy(items, (item) => item.trade_id)
  return rows.map((row) => tradeOf(row, (byTrade.get(row.id) ?? []).map(itemOf)))
}

// The status is taken from the items as read, so that a step between two reads shows no contradiction.
const tradeOf = (row: TradeRow, items: readonly TradeItem[]): Trade => ({
  id: row.id,
  type: row.type,
  merchantId: row.merchant_id,
  accountId: row.account_id,
  platformId: row.platform_id,
  tradeUrl: row.trade_url,
  externalId: row.external_id,
  status: items.length > 0 ? statusOf(items.map((item) => item.status)) : row.status,
  game: row.game,
  currency: row.currency,
  total: cents(row.total),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  items,
})

const itemOf = (row: ItemRow): TradeItem => ({
  id: row.id,
  externalId: row.external_id,
  description: row.description,
  price: cents(row.price),
  status: row.status,
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
          buyerFault: row.status === 'declined' || row.reverted_by === 'user',
        },
  holdEndsAt: row.hold_ends_at,
  settledAt: row.settled_at,
})

// ---------------------------------------------------------------- figures

export interface TradeFigures {
  readonly accountId: string
  readonly status: Status
  readonly tradeCount: number
  /** Cents of the merchant's currency, at each trade's own rate; of completed trades only. */
  readonly gmvCents: Cents
  /** Cents of the merchant's earnings wallet that settled items brought. */
  readonly feesCents: Cents
}

const FIGURES = sql(
  'trading.figures',
  `select t.account_id, t.status, count(*)::int trade_count,
     sum(case when t.status <> 'completed' then 0
              when t.currency = $4 then t.total
              when t.currency = 'EUR' then trunc((2 * t.total::numeric * t.usd_per_eur_micros + 1000000) / 2000000)
              else trunc((2 * t.total::numeric * 1000000 + t.usd_per_eur_micros) / (2 * t.usd_per_eur_micros)) end)::bigint gmv,
     coalesce(sum((select sum(i.merchant_earned) from trading.item i where i.trade_id = t.id)), 0)::bigint fees
   from trading.trade t
   where t.merchant_id = $1 and ($2::timestamptz is null or t.created_at >= $2)
     and ($3::timestamptz is null or t.created_at <= $3)
   group by t.account_id, t.status`,
)

export async function readFigures(
  db: Queryable,
  merchantId: string,
  range: { from: Date | null; to: Date | null; currency: Currency },
): Promise<TradeFigures[]> {
  const rows = await db.query<{
    account_id: string
    status: Status
    trade_count: number
    gmv: bigint
    fees: bigint
  }>(FIGURES, [merchantId, range.from, range.to, range.currency])
  return rows.map((row) => ({
    accountId: row.account_id,
    status: row.status,
    tradeCount: row.trade_count,
    gmvCents: cents(row.gmv),
    feesCents: cents(row.fees),
  }))
}

const HAS_OPEN_TRADES = sql(
  'trading.has_open_trades',
  `select exists (select from trading.trade where account_id = $1 and status < 'completed') as "open"`,
)
export async function hasOpenTrades(db: Queryable, accountId: string): Promise<boolean> {
  const [row] = await db.query<{ open: boolean }>(HAS_OPEN_TRADES, [accountId])
  return row?.open ?? false
}

// ---------------------------------------------------------------- the workers' side

interface WorkRow {
  id: string
  trade_id: string
  request_id: string | null
  market: MarketId
  raw_listing_id: string
  market_hash_name: string
  trade_url: string
  sourcing_mills: bigint
  price: bigint
  status: Status
  created_at: Date
  hold_ends_at: Date | null
}

const workItemOf = (row: WorkRow): WorkItem => ({
  id: row.id,
  tradeId: row.trade_id,
  requestId: row.request_id ?? row.trade_id,
  market: row.market,
  rawListingId: row.raw_listing_id,
  marketHashName: row.market_hash_name,
  tradeUrl: row.trade_url,
  sourcingMills: mills(row.sourcing_mills),
  price: cents(row.price),
  status: row.status,
  createdAt: row.created_at,
  holdEndsAt: row.hold_ends_at,
})

export interface Claim {
  readonly market: MarketId
  readonly limit: number
  readonly at: Date
  /** Until then nobody else takes what this claim took. */
  readonly leaseUntil: Date
}

const CLAIM_PLACEMENTS = sql(
  'trading.claim_placements',
  `with due as (
     select id from trading.item
     where market = $1 and work = 'place' and due_at <= $2 and created_at > $5
     order by due_at limit $3 for update skip locked),
   claimed as (
     update trading.item i set work = 'follow', due_at = $4 from due where i.id = due.id returning i.*),
   intent as (
     insert into trading.supplier_order (item_id, market, custom_id, state, sent_at)
     select id, market, id::text, 'placing', $2 from claimed
     on conflict (item_id) do update set state = 'placing', sent_at = excluded.sent_at
     returning item_id)
   select c.id, c.trade_id, t.request_id, c.market, c.raw_listing_id,
     c.description ->> 'marketHashName' market_hash_name, t.trade_url, c.sourcing_mills, c.price, c.status,
     c.created_at, c.hold_ends_at
   from claimed c join trading.trade t on t.id = c.trade_id`,
)

/**
 * Commits the intent to place: from here on an order may exist under the item's custom id, and whoever
 * finds the item later asks the supplier before anything else.
 */
export async function claimPlacements(
  db: Queryable,
  claim: Claim & { readonly placeableSince: Date },
): Promise<WorkItem[]> {
  const rows = await db.query<WorkRow>(CLAIM_PLACEMENTS, [
    claim.market,
    claim.at,
    claim.limit,
    claim.leaseUntil,
    claim.placeableSince,
  ])
  return rows.map(workItemOf)
}

const LIST_OVERDUE = sql(
  'trading.list_overdue',
  `select i.id, i.trade_id, t.request_id, i.market, i.raw_listing_id, i.description ->> 'marketHashName' market_hash_name,
     t.trade_url, i.sourcing_mills, i.price, i.status, i.created_at, i.hold_ends_at
   from trading.item i join trading.trade t on t.id = i.trade_id
   where i.market = $1 and i.work = 'place' and i.created_at <= $2 order by i.due_at limit $3`,
)
/** Items that nobody could place in time and for which certainly no order exists. */
export async function listOverdue(
  db: Queryable,
  query: { market: MarketId; createdBefore: Date; limit: number },
): Promise<WorkItem[]> {
  const rows = await db.query<WorkRow>(LIST_OVERDUE, [
    query.market,
    query.createdBefore,
    query.limit,
  ])
  return rows.map(workItemOf)
}

const POSTPONE_PLACEMENT = sql(
  'trading.postpone_placement',
  `with sent as (update trading.supplier_order set state = 'not_sent', detail = $2
      where item_id = $1 and state = 'placing' returning item_id)
   update trading.item set work = 'place', due_at = $3 from sent where id = sent.item_id and status = 'initiated'`,
)
/** The call certainly never left: the item waits to be placed under the same custom id. */
export async function postponePlacement(
  db: Queryable,
  itemId: string,
  { detail, dueAt }: { detail: string; dueAt: Date },
): Promise<void> {
  await db.query(POSTPONE_PLACEMENT, [itemId, detail, dueAt])
}

export type OrderState =
  | 'placing'
  | 'not_sent'
  | 'unknown'
  | 'placed'
  | 'refused'
  | 'absent'
  | 'orphan'

export interface FollowedItem {
  readonly item: WorkItem
  readonly order: {
    readonly customId: string
    readonly state: OrderState
    readonly sentAt: Date
    readonly orderId: string | null
    readonly misses: number
    readonly missedSince: Date | null
    readonly offerSeen: boolean
    readonly acceptanceSeen: boolean
  }
}

interface FollowRow extends WorkRow {
  custom_id: string
  order_state: OrderState
  sent_at: Date
  order_id: string | null
  misses: number
  missed_since: Date | null
  offer_seen: boolean
  acceptance_seen: boolean
}

const followedOf = (row: FollowRow): FollowedItem => ({
  item: workItemOf(row),
  order: {
    customId: row.custom_id,
    state: row.order_state,
    sentAt: row.sent_at,
    orderId: row.order_id,
    misses: row.misses,
    missedSince: row.missed_since,
    offerSeen: row.offer_seen,
    acceptanceSeen: row.acceptance_seen,
  },
})

const FOLLOW_COLUMNS = `i.id, i.trade_id, t.request_id, i.market, i.raw_listing_id,
  i.description ->> 'marketHashName' market_hash_name, t.trade_url, i.sourcing_mills, i.price, i.status, i.created_at,
  i.hold_ends_at, o.custom_id, o.state order_state, o.sent_at, o.order_id, o.misses, o.missed_since, o.offer_seen, o.acceptance_seen`

const CLAIM_FOLLOWED = sql(
  'trading.claim_followed',
  `with due as (
     select id from trading.item where market = $1 and work = 'follow' and due_at <= $2
     order by due_at limit $3 for update skip locked),
   i as (update trading.item set due_at = $4 from due where item.id = due.id returning item.*)
   select ${FOLLOW_COLUMNS} from i
     join trading.trade t on t.id = i.trade_id join trading.supplier_order o on o.item_id = i.id`,
)
/** Takes items whose orders are due for a look. */
export async function claimFollowed(db: Queryable, claim: Claim): Promise<FollowedItem[]> {
  const rows = await db.query<FollowRow>(CLAIM_FOLLOWED, [
    claim.market,
    claim.at,
    claim.limit,
    claim.leaseUntil,
  ])
  return rows.map(followedOf)
}

const LIST_WATCHED = sql(
  'trading.list_watched',
  `select ${FOLLOW_COLUMNS} from trading.supplier_order o
     join trading.item i on i.id = o.item_id join trading.trade t on t.id = i.trade_id
   where o.state = 'absent' and o.market = $1 and o.sent_at > $2 order by o.sent_at desc limit $3`,
)
/** Orders that were given up as absent a short while ago. */
export async function listWatched(
  db: Queryable,
  query: { market: MarketId; sentAfter: Date; limit: number },
): Promise<FollowedItem[]> {
  const rows = await db.query<FollowRow>(LIST_WATCHED, [query.market, query.sentAfter, query.limit])
  return rows.map(followedOf)
}

const RESCHEDULE = sql(
  'trading.reschedule',
  `update trading.item i set due_at = due.due_at
   from unnest($1::uuid[], $2::timestamptz[]) due (id, due_at) where i.id = due.id and i.work = 'follow'`,
)
export async function reschedule(
  db: Queryable,
  items: readonly { readonly id: string; readonly dueAt: Date }[],
): Promise<void> {
  if (items.length === 0) return
  await db.query(RESCHEDULE, [items.map((item) => item.id), items.map((item) => item.dueAt)])
}

const RECORD_ORDER = sql(
  'trading.record_order',
  `update trading.supplier_order set state = $2, order_id = coalesce($3, order_id),
     paid_mills = coalesce($4, paid_mills), misses = $5,
     missed_since = case when $5::smallint > 0 then coalesce(missed_since, $10) end, offer_seen = offer_seen or $6,
     acceptance_seen = acceptance_seen or $7, review = review or $8, detail = coalesce($9, detail)
   where item_id = $1`,
)

export interface OrderRecord {
  readonly state: OrderState
  readonly orderId?: string | null
  readonly paidMills?: Mills | null
  /** Look-ups in a row that did not find it, this one, at `missedAt`, included. */
  readonly misses?: number
  readonly missedAt?: Date
  readonly offerSeen?: boolean
  readonly acceptanceSeen?: boolean
  readonly review?: boolean
  readonly detail?: string | null
}

export async function recordOrder(
  db: Queryable,
  itemId: string,
  order: OrderRecord,
): Promise<void> {
  await db.query(RECORD_ORDER, [
    itemId,
    order.state,
    order.orderId ?? null,
    order.paidMills ?? null,
    order.misses ?? 0,
    order.offerSeen ?? false,
    order.acceptanceSeen ?? false,
    order.review ?? false,
    order.detail ?? null,
    order.missedAt ?? null,
  ])
}

const MOVE_ITEM = sql(
  'trading.move_item',
  'select trading.move_item($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) moved',
)
/** One step: state, money and events. False when the item had moved already. */
export async function moveItem(
  tx: Tx,
  itemId: string,
  step: Step,
  { at, dueAt, holdEndsAt }: { at: Date; dueAt: Date; holdEndsAt: Date | null },
): Promise<boolean> {
  const [row] = await tx.query<{ moved: boolean }>(MOVE_ITEM, [
    itemId,
    step.from,
    step.to,
    at,
    dueAt,
    step.offerId,
    holdEndsAt,
    step.failure,
    step.detail?.slice(0, 500) ?? null,
    step.revertedBy,
    step.penalty,
  ])
  return row?.moved ?? false
}

const COUNT_OPEN = sql(
  'trading.count_open',
  `select i.status, count(*)::int count, min(i.created_at) oldest, min(i.due_at) due
   from trading.item i where i.work <> 'none' group by i.status`,
)
export interface OpenItems {
  readonly status: Status
  readonly count: number
  readonly oldest: Date
  readonly due: Date
}
/** What is under way, for the metrics. */
export const countOpen = (db: Queryable): Promise<OpenItems[]> => db.query<OpenItems>(COUNT_OPEN)

const AUDIT = sql('trading.audit', 'select invariant, detail from trading.audit() limit 100')
/** The broken promises of trades, none when all is well. */
export const auditTrades = (db: Queryable): Promise<{ invariant: string; detail: string }[]> =>
  db.query(AUDIT)
