import { type Queryable, sql } from '#infra/database/db'
import { type Cents, cents } from '#kernel/money'
import type { Status } from '#trades'
import type { AccountRef, FailureCode, MarketId } from '../ports.ts'

export interface CancelableItem {
  readonly id: string
  readonly externalId: string | null
  readonly status: Status
  readonly market: MarketId
  readonly price: Cents
  /** The order at the supplier, once the supplier has taken it. */
  readonly order: {
    readonly customId: string
    readonly orderId: string
    readonly sentAt: Date
    /** Ours at the market. */
    readonly account: string
  } | null
}

interface Row {
  id: string
  external_id: string | null
  status: Status
  market: MarketId
  price: bigint
  custom_id: string | null
  order_id: string | null
  sent_at: Date | null
  market_account: string | null
}

const LIST_CANCELABLE = sql(
  'buying.list_cancelable',
  `select t.id, t.external_id, t.status, i.market, t.price, o.custom_id, o.order_id, o.sent_at,
     o.market_account
   from trades.items_of($1) t join buying.item i on i.id = t.id
     left join buying.supplier_order o on o.item_id = i.id and o.state = 'placed'
   where $2::uuid[] is null or i.id = any ($2) order by t.position`,
)
/** The items of a trade in their order, or some of them. */
export async function listCancelable(
  db: Queryable,
  tradeId: string,
  itemIds: readonly string[] | null = null,
): Promise<CancelableItem[]> {
  const rows = await db.query<Row>(LIST_CANCELABLE, [tradeId, itemIds])
  return rows.map(itemOf)
}

const itemOf = ({
  custom_id: customId,
  order_id: orderId,
  sent_at: sentAt,
  market_account: account,
  ...row
}: Row): CancelableItem => ({
  id: row.id,
  externalId: row.external_id,
  status: row.status,
  market: row.market,
  price: cents(row.price),
  order: customId && orderId && sentAt && account ? { customId, orderId, sentAt, account } : null,
})

const END_UNPLACED = sql(
  'buying.end_unplaced',
  'select buying.end_unplaced($1, $2, $3, $4, $5) ended',
)
/**
 * Ends the items of one trade whose orders were certainly not sent; which these are. The order of the
 * others was begun, or they stand elsewhere.
 */
export async function endUnplaced(
  db: Queryable,
  itemIds: readonly string[],
  end: { to: 'canceled' | 'failed'; failure?: FailureCode; detail?: string },
  at: Date,
): Promise<string[]> {
  if (itemIds.length === 0) return []
  const values = [itemIds, end.to, at, end.failure ?? null, end.detail ?? null]
  const [row] = await db.query<{ ended: string[] }>(END_UNPLACED, values)
  return row?.ended ?? []
}

const REQUEST_CANCEL = sql('buying.request_cancel', 'select buying.request_cancel($1, $2)')
/** The intent, committed before the suppliers are asked. */
export async function requestCancel(
  db: Queryable,
  itemIds: readonly string[],
  at: Date,
): Promise<void> {
  await db.query(REQUEST_CANCEL, [itemIds, at])
}

const SCHEDULE_CANCELS = sql(
  'buying.schedule_cancels',
  `update buying.supplier_order set cancel_due_at = $2 where item_id = any ($1::uuid[]) and state = 'placed'`,
)
/** From then on a worker takes the cancels over. */
export async function scheduleCancels(
  db: Queryable,
  itemIds: readonly string[],
  dueAt: Date,
): Promise<void> {
  if (itemIds.length > 0) await db.query(SCHEDULE_CANCELS, [itemIds, dueAt])
}

const SETTLE_CANCEL = sql(
  'buying.settle_cancel',
  'update buying.supplier_order set cancel_due_at = null where item_id = $1',
)
/** The supplier has answered, or there is nothing left to cancel. */
export async function settleCancel(db: Queryable, itemId: string): Promise<void> {
  await db.query(SETTLE_CANCEL, [itemId])
}

export interface DueCancel extends CancelableItem {
  readonly requestId: string
}

const CLAIM_CANCELS = sql(
  'buying.claim_cancels',
  `with waiting as (
     select o.item_id, o.cancel_due_at due_at, i.tenant_id,
       row_number() over (partition by i.account_id order by o.cancel_due_at, o.item_id) nth
     from buying.supplier_order o join buying.item i on i.id = o.item_id
     where o.market = $1 and o.market_account = $5 and o.cancel_due_at <= $2),
   chosen as (
     select w.item_id from waiting w
     order by row_number() over (partition by w.tenant_id order by w.nth, w.due_at, w.item_id), w.due_at, w.item_id
     limit $3),
   due as (
     select item_id from buying.supplier_order
     where item_id in (select item_id from chosen) and cancel_due_at <= $2 for update skip locked),
   o as (update buying.supplier_order o set cancel_due_at = $4 from due where o.item_id = due.item_id returning o.*)
   select t.id, t.external_id, t.status, o.market, t.price, o.custom_id, o.order_id, o.sent_at,
     o.market_account, coalesce(t.request_id, t.trade_id) request_id
   from o join trades.items_by_id(array(select item_id from due)) t on t.id = o.item_id`,
)
/** Takes cancels that are due, in turn by tenant and account, oldest first. */
export async function claimCancels(
  db: Queryable,
  claim: AccountRef & {
    readonly at: Date
    readonly leaseUntil: Date
    readonly limit: number
  },
): Promise<DueCancel[]> {
  const rows = await db.query<Row & { request_id: string }>(CLAIM_CANCELS, [
    claim.market,
    claim.at,
    claim.limit,
    claim.leaseUntil,
    claim.account,
  ])
  return rows.map((row) => ({ ...itemOf(row), requestId: row.request_id }))
}

const ITEM_STATUS = sql(
  'buying.item_status',
  'select status from trades.items_by_id(array[$1::uuid])',
)
export async function findItemStatus(db: Queryable, itemId: string): Promise<Status | null> {
  const [row] = await db.query<{ status: Status }>(ITEM_STATUS, [itemId])
  return row?.status ?? null
}
