import { bool, columns, int, json, type Row, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { auditOfSlice } from '#infra/database/id-slices'
import { assertDefined } from '#kernel/assert'
import { type Cents, type Currency, cents, type Mills, mills } from '#kernel/money'
import { cut } from '#kernel/text'
import type { ItemDescription } from '#trades'
import type { Step, WorkItem } from '../item.ts'
import type { AccountRef, Market, MarketId } from '../ports.ts'

type Read = Omit<WorkItem, 'requestId'> & { readonly requestId: string | null }

const WORK_ITEM = columns<Read>('i.', {
  id: text,
  tradeId: text,
  requestId: ['t.request_id', text],
  market: text,
  rawListingId: text,
  marketHashName: ['t.market_hash_name', text],
  tradeUrl: ['t.trade_url', text],
  sourcingMills: mills,
  price: ['t.price', cents],
  status: ['t.status', text],
  createdAt: time,
  holdEndsAt: ['t.hold_ends_at', time],
  isContested: ['(i.contested_at is not null)', bool],
}).to((item): WorkItem => ({ ...item, requestId: item.requestId ?? item.tradeId }))

export interface Claim extends AccountRef {
  readonly limit: number
  readonly at: Date
  /** Until then no other worker claims what this claim took. */
  readonly leaseUntil: Date
}

/** An item that a worker has claimed for placing. */
export interface ClaimedItem extends WorkItem {
  /** Under which its order is placed: another for each listing that takes the place of a refused one. */
  readonly customId: string
  /** When the claim ends, and what distinguishes it from every other claim of the item. */
  readonly claimedUntil: Date
  /** Which listing of the item it is, from 1. */
  readonly attempt: number
  readonly noted: NotedItem
}

/** Whose an item is and what its trade says of it, for the case that a restore loses both. */
export interface NotedItem {
  readonly tenantId: string
  readonly accountId: string
  /** The account by the name that its merchant gave it. */
  readonly userExternalId: string | null
  /** Of its trade. */
  readonly externalId: string | null
  readonly listingId: bigint
  readonly game: string
  readonly catalogItemId: string
  readonly description: ItemDescription
  readonly currency: Currency
  readonly houseFee: Cents
  readonly merchantFee: Cents
}

const NOTED_ITEM = columns<NotedItem>('n.', {
  tenantId: text,
  accountId: text,
  userExternalId: ['identity.external_id_of(n.account_id)', text],
  externalId: text,
  listingId: ['i.listing_id', (id: bigint) => id],
  game: text,
  catalogItemId: text,
  description: json,
  currency: text,
  houseFee: cents,
  merchantFee: cents,
})

const CLAIM_PLACEMENTS = sql(
  'buying.claim_placements',
  'select id from buying.claim_placements($1, $3, $2, $4, $5, $6, true)',
)
/** By their ids, and by no index of what is due, whatever the statistics say of it. */
const CLAIMED = 'claimed as materialized (select * from buying.item where id = any ($1))'
/**
 * A statement of its own: the claim also takes items that were committed after its statement began, while
 * it waited for another worker's, and their trades are not visible in that statement's snapshot.
 */
const READ_CLAIMED = sql(
  'buying.read_claimed',
  `with ${CLAIMED}
   select ${WORK_ITEM.list}, i.leased_until "claimedUntil",
     i.id::text || case when i.attempt > 1 then '-' || i.attempt else '' end "customId",
     i.attempt, ${NOTED_ITEM.list}
   from claimed i join trades.items_by_id($1) t on t.id = i.id join trades.items_to_note($1) n on n.id = i.id
   where i.work = 'place' and i.leased_until = $2 order by i.created_at, i.id`,
)

/**
 * Claims items to place, in turn by tenant and account, oldest first. Nothing is sent under a claim alone:
 * see `beginOrder`.
 */
export async function claimPlacements(
  db: Queryable,
  claim: Claim & { readonly placeableSince: Date },
): Promise<ClaimedItem[]> {
  const { market, account, at, limit, leaseUntil, placeableSince } = claim
  const values = [market, at, limit, leaseUntil, placeableSince, account]
  const claimed = await db.query<{ id: string }>(CLAIM_PLACEMENTS, values)
  if (claimed.length === 0) return []
  type ClaimedRow = Row<WorkItem> & Row<NotedItem> & Omit<ClaimedItem, keyof WorkItem | 'noted'>
  const rows = await db.query<ClaimedRow>(READ_CLAIMED, [claimed.map(({ id }) => id), leaseUntil])
  return rows.map((row) => {
    const { customId, claimedUntil, attempt } = row
    return { ...WORK_ITEM.of(row), customId, claimedUntil, attempt, noted: NOTED_ITEM.of(row) }
  })
}

const BEGIN_ORDER = sql(
  'buying.begin_order',
  'select buying.begin_order($1, $2, $3, $4, $5, $6) custom_id',
)
/**
 * Commits the intent to place: from here on an order may exist under the custom id, and a worker that finds
 * the item later asks the supplier before anything else. False when the claim is no longer the item's, and
 * when the account was closed, no longer covers the item, or has another key.
 */
export async function beginOrder(
  db: Queryable,
  { id, claimedUntil }: Pick<ClaimedItem, 'id' | 'claimedUntil'>,
  { at, leaseUntil }: { readonly at: Date; readonly leaseUntil: Date },
  { account, keyVersion }: Pick<Market, 'account' | 'keyVersion'>,
): Promise<boolean> {
  const values = [id, claimedUntil, at, leaseUntil, account, keyVersion]
  const [row] = await db.query<{ custom_id: string | null }>(BEGIN_ORDER, values)
  return (row?.custom_id ?? null) !== null
}

const RELEASE_CLAIM = sql(
  'buying.release_claim',
  `update buying.item set due_at = $3, leased_until = null
   where id = $1 and work = 'place' and leased_until = $2`,
)
/** The order was not begun: the item waits, in its place, until then. */
export async function releaseClaim(
  db: Queryable,
  { id, claimedUntil }: Pick<ClaimedItem, 'id' | 'claimedUntil'>,
  dueAt: Date,
): Promise<void> {
  await db.query(RELEASE_CLAIM, [id, claimedUntil, dueAt])
}

const HAS_PLACEMENTS = sql(
  'buying.has_placements',
  `select exists (
     select from buying.item
     where market = $1 and work = 'place' and (created_at <= $3
       or due_at <= $2 and coalesce(leased_until <= $2, true)
         and sourcing_mills <= (select buying.most_placeable($1, $4)))) found`,
)
/** Whether an item that the account covers is due to be placed, or any has waited too long for it. */
export async function hasPlacements(
  db: Queryable,
  {
    market,
    account,
    at,
    placeableSince,
  }: AccountRef & { readonly at: Date; readonly placeableSince: Date },
): Promise<boolean> {
  const values = [market, at, placeableSince, account]
  const [row] = await db.query<{ found: boolean }>(HAS_PLACEMENTS, values)
  return row?.found === true
}

const LIST_OVERDUE = sql(
  'buying.list_overdue',
  `with overdue as (
     select * from buying.item where market = $1 and work = 'place' and created_at <= $2 order by due_at limit $3)
   select ${WORK_ITEM.list}
   from overdue i join trades.items_by_id(array(select id from overdue)) t on t.id = i.id`,
)
/** Items that were not placed in time and have no intent; check again under their lock. */
export async function listOverdue(
  db: Queryable,
  query: { market: MarketId; createdBefore: Date; limit: number },
): Promise<WorkItem[]> {
  return WORK_ITEM.all(db, LIST_OVERDUE, [query.market, query.createdBefore, query.limit])
}

const POSTPONE_PLACEMENT = sql(
  'buying.postpone_placement',
  `with sent as (update buying.supplier_order set state = 'not_sent', detail = $2, misses = 0, missed_since = null
      where item_id = $1 and state in ('placing', 'unknown') and sent_at = $4 returning item_id)
   update buying.item set work = 'place', due_at = $3, leased_until = null
   from sent where id = sent.item_id and work = 'follow'`,
)
/**
 * The call that was begun at `begunAt` certainly never left: the item waits to be placed under the same
 * custom id, also when look-ups have begun to miss the order meanwhile.
 */
export async function postponePlacement(
  db: Queryable,
  itemId: string,
  { detail, dueAt, begunAt }: { detail: string; dueAt: Date; begunAt: Date },
): Promise<void> {
  await db.query(POSTPONE_PLACEMENT, [itemId, detail, dueAt, begunAt])
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
    readonly paidMills: Mills | null
    readonly misses: number
    readonly missedSince: Date | null
    readonly offerSeen: boolean
    readonly acceptanceSeen: boolean
    readonly review: boolean
  }
}

const ORDER = columns<FollowedItem['order']>('o.', {
  customId: text,
  state: text,
  sentAt: time,
  orderId: text,
  paidMills: mills,
  misses: int,
  missedSince: time,
  offerSeen: bool,
  acceptanceSeen: bool,
  review: bool,
})

type FollowedRow = Row<WorkItem> & Row<FollowedItem['order']>
const FOLLOWED_COLUMNS = `${WORK_ITEM.list}, ${ORDER.list}`
const followedOf = (row: FollowedRow): FollowedItem => ({
  item: WORK_ITEM.of(row),
  order: ORDER.of(row),
})

const CLAIM_FOLLOWED = sql(
  'buying.claim_followed',
  'select claim_followed id from buying.claim_followed($1, $2, $3, $4, $5, $6, true)',
)
/** A statement of its own, as that of placements is. */
const READ_FOLLOWED = sql(
  'buying.read_followed',
  `with ${CLAIMED}
   select ${FOLLOWED_COLUMNS} from claimed i join buying.supplier_order o on o.item_id = i.id
     join trades.items_by_id($1) t on t.id = i.id
   where i.work = 'follow' and i.leased_until = $2`,
)
/**
 * Takes items whose orders are due for a look: purchases without an answer before orders that move, and of
 * these, where not all fit, in turn by tenant, oldest first. Where anything is due, what will be due within
 * `alongMs` goes along: one call asks for many orders, and items that were placed at different moments would
 * otherwise wait for one another's calls.
 */
export async function claimFollowed(
  db: Queryable,
  { market, account, limit, at, leaseUntil, alongMs }: Claim & { readonly alongMs: number },
): Promise<FollowedItem[]> {
  const alongUntil = new Date(at.getTime() + alongMs)
  const claimed = await db.query<{ id: string }>(CLAIM_FOLLOWED, [
    market,
    limit,
    at,
    alongUntil,
    leaseUntil,
    account,
  ])
  if (claimed.length === 0) return []
  const ids = claimed.map(({ id }) => id)
  return (await db.query<FollowedRow>(READ_FOLLOWED, [ids, leaseUntil])).map(followedOf)
}

const CLAIM_WATCHED = sql(
  'buying.claim_watched',
  `with lost as (
     select item_id from buying.supplier_order where market = $1 and market_account = $6
       and sent_at > $2 and state not in ('placed', 'orphan')
     union all
     select item_id from buying.supplier_order
     where market = $1 and market_account = $6
       and undone_at > $2 and greatest(undone_at, watched_at) <= $5 and state = 'placed'),
   due as (
     select o.item_id from lost join buying.supplier_order o on o.item_id = lost.item_id
       join buying.item i on i.id = o.item_id
     where not i.is_live order by o.state = 'placed', o.watched_at nulls first, o.sent_at
     limit $3 for update of o skip locked),
   o as (
     update buying.supplier_order set watched_at = $4 from due where supplier_order.item_id = due.item_id
     returning supplier_order.*)
   select ${FOLLOWED_COLUMNS} from o join buying.item i on i.id = o.item_id
     join trades.items_by_id(array(select item_id from due)) t on t.id = i.id`,
)
/**
 * Orders whose items have ended without them since `after`, and those that were undone by their
 * supplier's word since then and not looked for after `seenBefore`; the former first, and those not
 * looked for the longest.
 */
export async function claimWatched(
  db: Queryable,
  query: AccountRef & { after: Date; seenBefore: Date; limit: number; at: Date },
): Promise<FollowedItem[]> {
  const { market, account, after, limit, at, seenBefore } = query
  const values = [market, after, limit, at, seenBefore, account]
  return (await db.query<FollowedRow>(CLAIM_WATCHED, values)).map(followedOf)
}

/** In the order of the ids: of two workers with the same items, as after a late answer, one waits. */
const RESCHEDULE = sql(
  'buying.reschedule',
  `with locked as materialized (
     select id from buying.item where id = any ($1::uuid[]) order by id for update)
   update buying.item i set due_at = due.due_at, leased_until = null
   from unnest($1::uuid[], $2::timestamptz[]) due (id, due_at) join locked on locked.id = due.id
   where i.id = due.id and i.work = 'follow' and greatest(i.due_at, i.leased_until) > $3`,
)
/** An item that was made due while it was looked up stays due: the reason is newer than the look-up. */
export async function reschedule(
  db: Queryable,
  items: readonly { readonly id: string; readonly dueAt: Date }[],
  at: Date,
): Promise<void> {
  if (items.length === 0) return
  await db.query(RESCHEDULE, [items.map((item) => item.id), items.map((item) => item.dueAt), at])
}

const RECORD_ORDER = sql(
  'buying.record_order',
  `update buying.supplier_order set state = $2, order_id = coalesce($3, order_id),
     paid_mills = coalesce($4, paid_mills), misses = $5,
     missed_since = case when $5::smallint > 0 then coalesce(missed_since, $10) end, offer_seen = offer_seen or $6,
     acceptance_seen = acceptance_seen or $7, review = review or $8, detail = coalesce($9, detail)
   where item_id = $1 and custom_id = $11 and state = any ($12::text[]) returning item_id`,
)

export interface OrderRecord {
  readonly state: keyof typeof RECORDED_FROM
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

/** Which states a record may come from: a late answer never overwrites what was concluded without it. */
const RECORDED_FROM = {
  placed: ['placing', 'unknown', 'placed'],
  unknown: ['placing', 'unknown'],
  refused: ['placing', 'unknown'],
  absent: ['placing', 'unknown'],
  orphan: ['placing', 'unknown', 'not_sent', 'refused', 'absent', 'placed'],
} as const satisfies Partial<Record<OrderState, readonly OrderState[]>>

/** False when the item's order is another one now, or stands where this record cannot come from. */
export async function recordOrder(
  db: Queryable,
  { itemId, customId }: { readonly itemId: string; readonly customId: string },
  order: OrderRecord,
): Promise<boolean> {
  const rows = await db.query(RECORD_ORDER, [
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
    customId,
    RECORDED_FROM[order.state],
  ])
  return rows.length > 0
}

const READ_ORDER = sql(
  'buying.read_order',
  `select o.state, o.order_id "orderId", i.is_live "isLive"
   from buying.item i left join buying.supplier_order o on o.item_id = i.id and o.custom_id = $2 where i.id = $1`,
)
/** Where an order stands, and whether its item still counts on it; null state: the item has another order. */
export async function readOrder(
  db: Queryable,
  { itemId, customId }: { readonly itemId: string; readonly customId: string },
): Promise<{ state: OrderState | null; orderId: string | null; isLive: boolean }> {
  const [row] = await db.query<{
    state: OrderState | null
    orderId: string | null
    isLive: boolean
  }>(READ_ORDER, [itemId, customId])
  return assertDefined(row, 'an item of an order')
}

const MOVE_ITEM = sql(
  'buying.move_item',
  'select buying.move_item($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) moved',
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
    step.detail === null ? null : cut(step.detail, 500),
    step.revertedBy,
    step.penalty,
  ])
  return row?.moved ?? false
}

/** Of the items that were bought. */
export const auditBuys = auditOfSlice('buying.audit')
