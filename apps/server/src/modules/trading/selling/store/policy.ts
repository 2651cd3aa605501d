// SQL of the pricing policy.

import { bool, columns, int, json } from '#infra/database/columns'
import { type Queryable, sql, type Tx, violatedConstraint } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { type Cents, cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import type { ItemPolicy, Policy } from '../quote.ts'

const READ_VERSION = sql('selling.read_version', 'select version from selling.policy')
export async function readVersion(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ version: bigint }>(READ_VERSION)
  return row?.version ?? 0n
}

type ItemRow = [id: string, accepted: boolean, discountBps: number | null, quote: number | null]

const itemsOf = (rows: readonly ItemRow[]): Policy['items'] =>
  new Map(
    rows.map(([id, accepted, discountBps, quote]) => [
      id,
      { accepted, discountBps, quote: quote === null ? null : cents(BigInt(quote)) },
    ]),
  )

const POLICY = columns<Policy>('', {
  version: BigInt,
  buying: bool,
  leastQuote: cents,
  mostQuote: cents,
  offerSharePercent: ['offer_share', int],
  waitingLimit: int,
  bands: [
    `(select coalesce(jsonb_agg(jsonb_build_object('leastVolume', least_volume, 'discountBps', discount_bps)
        order by least_volume desc), '[]') from selling.band)`,
    json,
  ],
  items: [
    `(select coalesce(jsonb_agg(jsonb_build_array(catalog_item_id, accepted, discount_bps, quote)), '[]')
        from selling.item_policy)`,
    itemsOf,
  ],
})

// One statement, so that the version belongs to what is read beside it.
const READ_POLICY = sql('selling.read_policy', `select ${POLICY.list} from selling.policy`)
export const readPolicy = async (db: Queryable): Promise<Policy> =>
  assertDefined(await POLICY.first(db, READ_POLICY), 'the policy, which has one row')

const WRITE_POLICY = sql(
  'selling.write_policy',
  `update selling.policy set version = version + 1, changed_at = $4, buying = coalesce($1, buying),
     least_quote = coalesce($2, least_quote), most_quote = coalesce($3, most_quote),
     offer_share = coalesce($5, offer_share), waiting_limit = coalesce($6, waiting_limit)`,
)
/** What is left out stays. Refuses VALIDATION_FAILED for a least quote above the most. */
export async function writePolicy(
  tx: Tx,
  change: {
    buying?: boolean
    leastQuote?: Cents
    mostQuote?: Cents
    offerSharePercent?: number
    waitingLimit?: number
  },
  at: Date,
): Promise<void> {
  const { buying, leastQuote, mostQuote, offerSharePercent, waitingLimit } = change
  const quotes = [buying ?? null, leastQuote ?? null, mostQuote ?? null]
  await tx
    .query(WRITE_POLICY, [...quotes, at, offerSharePercent ?? null, waitingLimit ?? null])
    .catch((error: unknown) => {
      if (violatedConstraint(error) !== 'policy_quotes_in_order') throw error
      const message = 'must not be above the most that is paid'
      refuse('VALIDATION_FAILED', {
        errors: [{ in: 'body', pointer: '/leastQuoteCents', rule: 'order', message }],
      })
    })
}

const WRITE_BAND = sql(
  'selling.write_band',
  `insert into selling.band (least_volume, discount_bps) values ($1, $2)
   on conflict (least_volume) do update set discount_bps = excluded.discount_bps`,
)
const DELETE_BAND = sql('selling.delete_band', 'delete from selling.band where least_volume = $1')
/** Null takes the band away. */
export async function writeBand(
  tx: Tx,
  leastVolume: number,
  discountBps: number | null,
): Promise<void> {
  if (discountBps === null) await tx.query(DELETE_BAND, [leastVolume])
  else await tx.query(WRITE_BAND, [leastVolume, discountBps])
}

const WRITE_ITEM_POLICY = sql(
  'selling.write_item_policy',
  `insert into selling.item_policy (catalog_item_id, accepted, discount_bps, quote, reason, changed_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (catalog_item_id) do update set accepted = excluded.accepted, discount_bps = excluded.discount_bps,
     quote = excluded.quote, reason = excluded.reason, changed_at = excluded.changed_at`,
)
const DELETE_ITEM_POLICY = sql(
  'selling.delete_item_policy',
  'delete from selling.item_policy where catalog_item_id = $1',
)
/** Null takes the exception away. */
export async function writeItemPolicy(
  tx: Tx,
  catalogItemId: string,
  change: (ItemPolicy & { readonly reason: string }) | null,
  at: Date,
): Promise<void> {
  if (change === null) await tx.query(DELETE_ITEM_POLICY, [catalogItemId])
  else {
    const { accepted, discountBps, quote, reason } = change
    await tx.query(WRITE_ITEM_POLICY, [catalogItemId, accepted, discountBps, quote, reason, at])
  }
}
