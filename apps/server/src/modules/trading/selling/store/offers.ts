// SQL of the work on sells: what waits for a bot, the offers that are out, and what the bots received.
import { columns, int, json, text, time } from '#infra/database/columns'
import { type Queryable, sql, type Tx } from '#infra/database/db'
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'
import { cut } from '#kernel/text'
import type { Status } from '#trades'
import type { Ending, OfferState, WorkOffer } from '../offer.ts'
import type { Bot } from '../ports.ts'

const COUNT_FREE_SLOTS = sql(
  'selling.count_free_slots',
  `select coalesce(sum(free_items), 0)::integer "freeSlots" from selling.bot_room($1, $2, $3, $4)`,
)
/** How many items these bots could take now, beside what they are about to. */
export async function countFreeSlots(
  db: Queryable,
  bots: readonly Bot[],
  botLimit: number,
): Promise<number> {
  const [row] = await db.query<{ freeSlots: number }>(COUNT_FREE_SLOTS, [
    ...columnsOf(bots),
    botLimit,
  ])
  return row?.freeSlots ?? 0
}

const columnsOf = (bots: readonly Bot[]) => [
  bots.map((bot) => bot.id),
  bots.map((bot) => bot.freeSlots),
  bots.map((bot) => bot.activeOffers),
]

const CLAIM_WAITING = sql(
  'selling.claim_waiting',
  'select claim_waiting "tradeId" from selling.claim_waiting($1, $2, $3, $4, $5, $6, $7, $8, $9)',
)
/**
 * Sells with items that no offer carries, in their turns. What is not assigned is looked at again when the
 * lease is over.
 */
export async function claimWaiting(
  db: Queryable,
  claim: {
    bots: readonly Bot[]
    botLimit: number
    partnerLimit: number
    limit: number
    at: Date
    leaseUntil: Date
    placeableSince: Date
  },
): Promise<string[]> {
  const rows = await db.query<{ tradeId: string }>(CLAIM_WAITING, [
    ...columnsOf(claim.bots),
    claim.botLimit,
    claim.partnerLimit,
    claim.limit,
    claim.at,
    claim.leaseUntil,
    claim.placeableSince,
  ])
  return rows.map(({ tradeId }) => tradeId)
}

const ASSIGN = sql(
  'selling.assign',
  'select assign "offerIntentId" from selling.assign($1, $2, $3, $4, $5, $6, $7, $8, $9)',
)
export interface Assignment {
  readonly tradeId: string
  readonly bots: readonly Bot[]
  readonly botLimit: number
  readonly partnerLimit: number
  readonly at: Date
  readonly leaseUntil: Date
  readonly expiresAt: Date
}
/** Commits the intents to ask for the items: from here on an offer may exist under each offer intent id. */
export async function assign(db: Queryable, wanted: Assignment): Promise<string[]> {
  const rows = await db.query<{ offerIntentId: string }>(ASSIGN, [
    wanted.tradeId,
    ...columnsOf(wanted.bots),
    wanted.botLimit,
    wanted.partnerLimit,
    wanted.at,
    wanted.leaseUntil,
    wanted.expiresAt,
  ])
  return rows.map((row) => row.offerIntentId)
}

const kept = (detail: string | undefined): string | null =>
  detail === undefined ? null : cut(detail, 500)

const RELEASE_INTENT = sql('selling.release_intent', 'select selling.release_intent($1, $2, $3)')
/** The offer was certainly not sent: its items wait for another one. */
export async function releaseIntent(
  db: Queryable,
  offerIntentId: string,
  { detail, dueAt }: { detail: string; dueAt: Date },
): Promise<void> {
  await db.query(RELEASE_INTENT, [offerIntentId, kept(detail), dueAt])
}

const LIST_OVERDUE = sql(
  'selling.list_overdue',
  `select s.trade_id from selling.sell s where s.waiting and not s.held_back and s.created_at <= $1 order by s.created_at limit 100`,
)
/** Sells with items that no bot could take in time. */
export async function listOverdue(db: Queryable, createdBefore: Date): Promise<string[]> {
  const rows = await db.query<{ trade_id: string }>(LIST_OVERDUE, [createdBefore])
  return rows.map((row) => row.trade_id)
}

/** Whether a sell has items that no offer carries. */
export const SELLS_WAIT: DueQuestion = dueWhere(
  'selling.waiting',
  'exists (select from selling.sell where waiting and not held_back)',
)

const HAS_WAITING = sql(
  'selling.has_waiting',
  'select exists (select from selling.sell where waiting and not held_back) found',
)
/** Whether a sell has items that no offer carries. */
export async function hasWaiting(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(HAS_WAITING)
  return row?.found === true
}

const STOP_WAITING = sql(
  'selling.stop_waiting',
  `update selling.sell set waiting = false where trade_id = $1 and not exists (
     select from selling.item where trade_id = $1 and offer_intent_id is null and is_open)`,
)
/** Nothing of the sell waits for a bot any more, if so it is. */
export async function stopWaiting(tx: Tx, tradeId: string): Promise<void> {
  await tx.query(STOP_WAITING, [tradeId])
}

type Read = Omit<WorkOffer, 'items'> & { readonly items: WorkOffer['items'] | null }

const OFFER = columns<Read>('o.', {
  offerIntentId: ['o.id', text],
  tradeId: text,
  requestId: ['s.request_id', text],
  tenantId: ['s.tenant_id', text],
  accountId: ['s.account_id', text],
  externalId: ['(select p.external_id from trades.parties_of(array[o.trade_id]) p)', text],
  botId: text,
  platformId: text,
  partner: ['s.partner', Number],
  token: ['s.token', text],
  state: text,
  offerId: text,
  exchangeId: text,
  ending: text,
  misses: int,
  missedSince: time,
  sentAt: time,
  expiresAt: time,
  holdEndsAt: time,
  dueAt: time,
  items: [
    `(select jsonb_agg(jsonb_build_object('id', i.id, 'assetId', i.asset_id, 'contextId', i.context_id)
     order by i.position) from selling.item i where i.offer_intent_id = o.id)`,
    json,
  ],
}).to((offer): WorkOffer => ({ ...offer, items: offer.items ?? [] }))

const READ_OFFERS = sql(
  'selling.read_offers',
  `select ${OFFER.list} from selling.offer o join selling.sell s on s.trade_id = o.trade_id
   where o.id = any ($1::uuid[]) limit 1000`,
)
export async function readOffers(
  db: Queryable,
  offerIntentIds: readonly string[],
): Promise<WorkOffer[]> {
  return OFFER.all(db, READ_OFFERS, [offerIntentIds])
}

/** Whether an offer is due for a look. */
export const OFFERS_DUE: DueQuestion = dueWhere(
  'selling.offers',
  `exists (select from selling.offer
    where state in ('placing', 'unknown', 'out', 'taken') and due_at <= $1)`,
)

const CLAIM_OFFERS = sql(
  'selling.claim_offers',
  `with due as (
     select id from selling.offer
     where bot_id = any ($1::text[]) and state in ('placing', 'unknown', 'out', 'taken') and due_at <= $2
     order by due_at limit $3 for update skip locked),
   o as (update selling.offer set due_at = $4 from due where offer.id = due.id returning offer.*)
   select ${OFFER.list} from o join selling.sell s on s.trade_id = o.trade_id`,
)
/** Offers of these bots that are due for a look. */
export async function claimOffers(
  db: Queryable,
  claim: { botIds: readonly string[]; at: Date; limit: number; leaseUntil: Date },
): Promise<WorkOffer[]> {
  return OFFER.all(db, CLAIM_OFFERS, [claim.botIds, claim.at, claim.limit, claim.leaseUntil])
}

const CLAIM_WATCHED = sql(
  'selling.claim_watched',
  `with due as (
     select id from selling.offer
     where state = 'absent' and bot_id = any ($1::text[]) and sent_at > $2
     order by watched_at nulls first, sent_at desc limit $3 for update skip locked),
   o as (update selling.offer set watched_at = $4 from due where offer.id = due.id returning offer.*)
   select ${OFFER.list} from o join selling.sell s on s.trade_id = o.trade_id`,
)
/** Offers that were given up as never sent a short while ago: those not looked for the longest. */
export async function claimWatched(
  db: Queryable,
  query: { botIds: readonly string[]; sentAfter: Date; limit: number; at: Date },
): Promise<WorkOffer[]> {
  const values = [query.botIds, query.sentAfter, query.limit, query.at]
  return OFFER.all(db, CLAIM_WATCHED, values)
}

const RECORD_OFFER = sql(
  'selling.record_offer',
  `update selling.offer set state = $2, due_at = coalesce($3, due_at), offer_id = coalesce($4, offer_id),
     exchange_id = coalesce($5, exchange_id), ending = coalesce($6, ending), detail = coalesce($7, detail),
     misses = $8, missed_since = case when $8::smallint > 0 then coalesce(missed_since, $9) end,
     hold_ends_at = coalesce($10, hold_ends_at), expires_at = coalesce($11, expires_at)
   where id = $1 and state = any ($12::text[]) returning id`,
)

export interface OfferRecord {
  readonly state: OfferState
  readonly dueAt?: Date
  readonly offerId?: string
  readonly exchangeId?: string
  readonly ending?: Ending
  readonly detail?: string
  readonly misses?: number
  readonly missedAt?: Date
  readonly holdEndsAt?: Date
  readonly expiresAt?: Date
}

/** Which states a record may come from: an offer only moves forward, and a late answer overwrites nothing. */
const FROM: Readonly<Record<OfferState, readonly OfferState[]>> = {
  placing: [],
  unknown: ['placing', 'unknown'],
  out: ['placing', 'unknown', 'out'],
  taken: ['out', 'taken'],
  ended: ['placing', 'unknown', 'out', 'taken'],
  absent: ['placing', 'unknown'],
  orphan: ['absent', 'ended'],
}

/** False when the offer stands where this record cannot come from. */
export async function recordOffer(
  db: Queryable,
  offerIntentId: string,
  record: OfferRecord,
): Promise<boolean> {
  const rows = await db.query(RECORD_OFFER, [
    offerIntentId,
    record.state,
    record.dueAt ?? null,
    record.offerId ?? null,
    record.exchangeId ?? null,
    record.ending ?? null,
    kept(record.detail),
    record.misses ?? 0,
    record.missedAt ?? null,
    record.holdEndsAt ?? null,
    record.expiresAt ?? null,
    FROM[record.state],
  ])
  return rows.length > 0
}

/** An offer as a worker claimed it: another worker that claims it sets another due time. */
export type ClaimedOffer = Pick<WorkOffer, 'offerIntentId' | 'state' | 'dueAt'>

const RENEW_CLAIM = sql(
  'selling.renew_claim',
  `update selling.offer set due_at = $4, sent_at = case state when 'placing' then $5 else sent_at end
   where id = $1 and state = $2 and due_at = $3 returning id`,
)
/** Right before a call for an offer: false when another worker has taken it over. */
export async function renewClaim(
  db: Queryable,
  { offerIntentId, state, dueAt }: ClaimedOffer,
  { at, leaseUntil }: { readonly at: Date; readonly leaseUntil: Date },
): Promise<boolean> {
  const rows = await db.query(RENEW_CLAIM, [offerIntentId, state, dueAt, leaseUntil, at])
  return rows.length > 0
}

const IS_OVER = sql(
  'selling.is_over',
  `select id from selling.offer where id = $1 and state in ('absent', 'ended', 'orphan')`,
)
/** Whether its items have ended, or certainly go on without it. */
export const isOver = async (db: Queryable, offerIntentId: string): Promise<boolean> =>
  (await db.query(IS_OVER, [offerIntentId])).length > 0

const MOVE_ITEMS = sql(
  'selling.move_items',
  'select selling.move_items($1, $2, $3, $4, $5, null, $6, $7, $8, $9, $10) moved',
)

export interface Move {
  readonly tradeId: string
  readonly itemIds: readonly string[]
  readonly from: Status
  readonly to: Status
  readonly at: Date
  readonly offerId?: string
  readonly holdEndsAt?: Date
  readonly failure?: string
  readonly detail?: string
  readonly revertedBy?: 'user' | 'supplier'
}

/** One step: state, money and event. Answers how many items it moved. */
export async function moveItems(tx: Tx, move: Move): Promise<number> {
  const [row] = await tx.query<{ moved: number }>(MOVE_ITEMS, [
    move.tradeId,
    move.itemIds,
    move.from,
    move.to,
    move.at,
    move.offerId ?? null,
    move.holdEndsAt ?? null,
    move.failure ?? null,
    kept(move.detail),
    move.revertedBy ?? null,
  ])
  return row?.moved ?? 0
}

const INSERT_STOCK = sql(
  'selling.insert_stock',
  `insert into selling.stock (item_id, bot_id, asset_id, context_id, catalog_item_id, market_hash_name, cost,
     currency, cost_usd, acquired_at, unlocks_at)
   select i.id, $1, got.asset_id, got.context_id, i.catalog_item_id, i.market_hash_name, i.price,
     i.currency, s.quote, $5, $6
   from unnest($2::uuid[], $3::text[], $4::text[]) got (item_id, asset_id, context_id)
     join selling.item s on s.id = got.item_id
     join trades.items_by_id($2) i on i.id = s.id and i.status = 'hold'`,
)
/** What the bot received for the items of a sell, at the sell's prices. */
export async function insertStock(
  tx: Tx,
  received: {
    botId: string
    items: readonly { itemId: string; assetId: string; contextId: string }[]
    at: Date
    unlocksAt: Date
  },
): Promise<void> {
  await tx.query(INSERT_STOCK, [
    received.botId,
    received.items.map((item) => item.itemId),
    received.items.map((item) => item.assetId),
    received.items.map((item) => item.contextId),
    received.at,
    received.unlocksAt,
  ])
}

const EXPEDITE_HOLDS = sql(
  'selling.expedite_holds',
  `update selling.offer set due_at = $2 where platform_id = $1 and state = 'taken' and due_at > $2`,
)
const EXPEDITE_OFFER = sql(
  'selling.expedite_offer',
  `update selling.offer set due_at = $2 where id = $1 and state = 'taken' and due_at > $2`,
)
/** A sign of a reversal was seen: the offer's hold becomes due. */
export async function expediteOffer(db: Queryable, offerIntentId: string, at: Date): Promise<void> {
  await db.query(EXPEDITE_OFFER, [offerIntentId, at])
}

/** A reversal of one exchange takes back all of the last days: each open hold becomes due. */
export async function expediteReceivedHolds(
  db: Queryable,
  platformId: string,
  at: Date,
): Promise<void> {
  await db.query(EXPEDITE_HOLDS, [platformId, at])
}
