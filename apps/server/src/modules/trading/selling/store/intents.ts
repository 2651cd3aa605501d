import { type Queryable, sql } from '#infra/database/db'

const INTENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Is one of these words the offer intent id of an offer that we committed before it was sent? */
export async function hasIntent(db: Queryable, words: readonly string[]): Promise<boolean> {
  const offerIntentIds = words.filter((word) => INTENT_ID.test(word))
  if (offerIntentIds.length === 0) return false
  const rows = await db.query(FIND, [offerIntentIds])
  return rows.length > 0
}

const FIND = sql(
  'selling_has_intent',
  'select 1 from selling.offer where id = any ($1::uuid[]) limit 1',
)

const LOST = sql(
  'selling.lost_offers',
  `select s.id "offerIntentId" from unnest($1::uuid[]) s (id)
   where not exists (select from selling.offer o where o.id = s.id)`,
)
/** Those of these offer intent ids that the database does not know. */
export async function findLostOffers(
  db: Queryable,
  offerIntentIds: readonly string[],
): Promise<string[]> {
  if (offerIntentIds.length === 0) return []
  const rows = await db.query<{ offerIntentId: string }>(LOST, [offerIntentIds])
  return rows.map(({ offerIntentId }) => offerIntentId)
}
