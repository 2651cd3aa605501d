// SQL of one sell as an operator looks at it, with the offers of our bots, and of what is under way.
import { type Queryable, sql } from '#infra/database/db'
import type { WaitingRow } from '#kernel/waiting'
import type { Status } from '#trades'
import type { OfferState } from '../offer.ts'

export interface SellInspection {
  readonly items: readonly InspectedSellItem[]
  readonly offers: readonly InspectedOffer[]
}

export interface InspectedSellItem {
  readonly id: string
  readonly assetId: string
  readonly status: Status
  readonly statusAt: Date
  /** The offer that carries it. */
  readonly offerIntentId: string | null
}

export interface InspectedOffer {
  readonly offerIntentId: string
  readonly botId: string
  readonly state: OfferState
  readonly sentAt: Date
  readonly offerId: string | null
  readonly exchangeId: string | null
  readonly ending: string | null
  readonly holdEndsAt: Date | null
  readonly detail: string | null
}

const FIND_SELL = sql(
  'selling.find_sell_of',
  `select trade_id from selling.sell where trade_id = $1 or trade_id = (
     select trade_id from selling.item where id = $1 union all select trade_id from selling.offer where id = $1 limit 1)`,
)
/** The sell with this id, or with an item or an offer of this id; null when there is none. */
export async function findSellOf(db: Queryable, id: string): Promise<string | null> {
  const [row] = await db.query<{ trade_id: string }>(FIND_SELL, [id])
  return row?.trade_id ?? null
}

const ITEMS = sql(
  'selling.inspected_items',
  `select i.id, i.asset_id "assetId", t.status, t.status_at "statusAt", i.offer_intent_id "offerIntentId"
   from trades.items_of($1) t join selling.item i on i.id = t.id order by i.position`,
)
const OFFERS = sql(
  'selling.inspected_offers',
  `select id "offerIntentId", bot_id "botId", state, sent_at "sentAt", offer_id "offerId", exchange_id "exchangeId", ending,
     hold_ends_at "holdEndsAt", detail
   from selling.offer where trade_id = $1 order by sent_at, id`,
)
export async function readSellInspection(db: Queryable, tradeId: string): Promise<SellInspection> {
  return {
    items: await db.query<InspectedSellItem>(ITEMS, [tradeId]),
    offers: await db.query<InspectedOffer>(OFFERS, [tradeId]),
  }
}

const COUNT_OPEN = sql(
  'selling.count_open',
  `with open as (select * from selling.item where is_open)
   select t.status, count(*)::int count, min(s.created_at) oldest, min(coalesce(o.due_at, s.due_at)) due
   from open i join trades.items_by_id(array(select id from open)) t on t.id = i.id
     join selling.sell s on s.trade_id = i.trade_id left join selling.offer o on o.id = i.offer_intent_id
   group by t.status`,
)
export interface OpenSellItems {
  readonly status: Status
  readonly count: number
  readonly oldest: Date
  readonly due: Date
}
/** What is under way, for the metrics. */
export const countOpenSells = (db: Queryable): Promise<OpenSellItems[]> =>
  db.query<OpenSellItems>(COUNT_OPEN)

const LIST_OPEN = sql(
  'selling.list_open',
  `with open as (select * from selling.item where is_open)
   select t.id, i.trade_id "refId", coalesce(o.bot_id, 'no bot yet') what, s.created_at since,
     coalesce(o.due_at, s.due_at) "dueAt", (count(*) over ())::int count,
     (count(*) filter (where coalesce(o.due_at, s.due_at) <= $2) over ())::int due
   from open i join trades.items_by_id(array(select id from open)) t on t.id = i.id
     join selling.sell s on s.trade_id = i.trade_id left join selling.offer o on o.id = i.offer_intent_id
   where t.status::text = $1 order by s.created_at, t.id limit $3`,
)
/** Items under way in a state, the oldest first. */
export const listOpenSells = (
  db: Queryable,
  query: { readonly status: string; readonly at: Date; readonly limit: number },
): Promise<WaitingRow[]> => db.query<WaitingRow>(LIST_OPEN, [query.status, query.at, query.limit])
