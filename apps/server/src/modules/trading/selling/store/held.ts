// SQL of what we hold to be true of a bot's offers, for holding it against what the platform lists.
import { type Queryable, sql } from '#infra/database/db'
import type { Status } from '#trades'
import type { OfferState } from '../offer.ts'

export interface HeldOfferItem {
  readonly id: string
  readonly assetId: string
  readonly status: Status
  /** Its id in the bot's inventory; null while nothing was received, and after it went back. */
  readonly stockId: string | null
}

/** An intent of ours with the items that stand behind it. */
export interface HeldOffer {
  readonly offerIntentId: string
  readonly tradeId: string
  readonly botId: string
  readonly state: OfferState
  readonly offerId: string | null
  readonly exchangeId: string | null
  readonly sentAt: Date
  /** When its items last took a step; null when none stand behind it any more. */
  readonly steppedAt: Date | null
  readonly items: readonly HeldOfferItem[]
}

const LIST_HELD = sql(
  'selling.list_held_offers',
  `with named as (
     (select id from selling.offer where bot_id = $1 and sent_at >= $2 order by sent_at desc limit 5000)
     union select id from selling.offer where offer_id = any ($3::text[])
     union select id from selling.offer where id = any ($4::uuid[]))
   select o.id "offerIntentId", o.trade_id "tradeId", o.bot_id "botId", o.state, o.offer_id "offerId",
     o.exchange_id "exchangeId", o.sent_at "sentAt", i.stepped_at "steppedAt", coalesce(i.items, '[]') items
   from named join selling.offer o on o.id = named.id
     cross join lateral (
       select max(t.status_at) stepped_at, jsonb_agg(jsonb_build_object('id', i.id, 'assetId', i.asset_id,
           'status', t.status, 'stockId', s.asset_id) order by i.position) items
       from selling.item i join trades.items_of(o.trade_id) t on t.id = i.id
         left join selling.stock s on s.item_id = i.id and s.state <> 'returned'
       where i.offer_intent_id = o.id) i
   order by o.id desc`,
)

const INTENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What a bot sent since then, and what has one of these platform ids, or an intent id among these words. */
export const listHeldOffers = (
  db: Queryable,
  query: {
    readonly botId: string
    readonly sentSince: Date
    readonly offerIds: readonly string[]
    readonly words: readonly string[]
  },
): Promise<HeldOffer[]> =>
  db.query<HeldOffer>(LIST_HELD, [
    query.botId,
    query.sentSince,
    query.offerIds,
    query.words.filter((word) => INTENT_ID.test(word)),
  ])
