// SQL of sells that wait for a bot when it turns out that the newest intents may be lost.
import { type Queryable, sql, type Tx } from '#infra/database/db'

const HOLD_BACK = sql(
  'selling.hold_back',
  `with held as (update selling.sell set held_back = true where waiting returning trade_id)
   select i.id "itemId" from held join selling.item i on i.trade_id = held.trade_id
   where i.offer_intent_id is null and i.is_open`,
)
/** Every sell that waits may have been offered already: until that is known nothing is done about it. */
export async function holdBackOffers(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ itemId: string }>(HOLD_BACK)
  return rows.map(({ itemId }) => itemId)
}

export interface HeldBackItem {
  readonly itemId: string
  readonly tradeId: string
  readonly assetId: string
}

const LIST = sql(
  'selling.list_held_back',
  `select i.id "itemId", i.trade_id "tradeId", i.asset_id "assetId"
   from selling.sell s join selling.item i on i.trade_id = s.trade_id
   where s.held_back and i.offer_intent_id is null and i.is_open limit 100000`,
)
export const listHeldBack = (db: Queryable): Promise<HeldBackItem[]> => db.query<HeldBackItem>(LIST)

/** An offer on a bot's own list that takes items of one sell that was held back. */
export interface LostOffer {
  readonly offerIntentId: string
  readonly offerId: string
  readonly botId: string
  readonly tradeId: string
  readonly itemIds: readonly string[]
}

const ADOPT = sql(
  'selling.adopt_offer',
  'select selling.adopt_offer($1, $2, $3, $4, $5, $6, $7) items',
)
const RELEASE = sql(
  'selling.release_held_back',
  `with released as (
     update selling.sell set held_back = false, due_at = case when waiting then $1 else due_at end
     where held_back returning trade_id, waiting)
   select count(*)::integer items from released join selling.item i on i.trade_id = released.trade_id
   where released.waiting and i.offer_intent_id is null and i.is_open`,
)
/**
 * What the bots' own lists say of sells that were held back: an offer that they show, the best first, carries
 * its items from now on and is looked at like any other. What none of them takes waits for a bot again.
 */
export async function releaseOffers(
  tx: Tx,
  {
    offers,
    at,
    expiresAt,
  }: { readonly offers: readonly LostOffer[]; readonly at: Date; readonly expiresAt: Date },
): Promise<{ readonly followed: number; readonly resumed: number }> {
  let followed = 0
  for (const { offerIntentId, tradeId, itemIds, botId, offerId } of offers) {
    const values = [offerIntentId, tradeId, itemIds, botId, offerId, at, expiresAt]
    const [row] = await tx.query<{ items: number }>(ADOPT, values)
    followed += row?.items ?? 0
  }
  const [row] = await tx.query<{ items: number }>(RELEASE, [at])
  return { followed, resumed: row?.items ?? 0 }
}
