// SQL that finds sells by an offer of our bots.
import { type Queryable, sql } from '#infra/database/db'

const FIND = sql(
  'selling.find_sells_of_offer',
  `select trade_id id from selling.offer where offer_id = $1
   union select trade_id from selling.offer where id = any ($2::uuid[]) limit 20`,
)
/** By the platform's id of an offer, or by ours for it. */
export const findSellsOfOffer = async (
  db: Queryable,
  { ids, text }: { readonly ids: readonly string[]; readonly text: string },
): Promise<string[]> => (await db.query<{ id: string }>(FIND, [text, ids])).map(({ id }) => id)
