// SQL that finds items by what their suppliers call the order.
import { type Queryable, sql } from '#infra/database/db'

const FIND = sql(
  'buying.find_items_of_order',
  `select item_id id from buying.supplier_order where order_id = $1
   union select item_id from buying.supplier_order where custom_id = $1 limit 20`,
)
/** By the supplier's id of an order, or by ours for it. */
export const findItemsOfOrder = async (db: Queryable, text: string): Promise<string[]> =>
  (await db.query<{ id: string }>(FIND, [text])).map(({ id }) => id)
