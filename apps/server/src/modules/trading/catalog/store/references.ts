// SQL of what a listing's price is held against.

import { type Queryable, sql } from '#infra/database/db'
import { type Mills, mills } from '#kernel/money'
import type { RawId } from './listings.ts'

export interface PriceReference {
  readonly referenceMills: Mills
  readonly volume: number
  readonly isDecorated: boolean
}

const REFERENCES = sql(
  'catalog_price_references',
  `select l.market, l.raw_id, i.reference_price_mills, i.volume,
     l.sticker_count > 0 or coalesce(l.details -> 'charm', 'null') <> 'null' is_decorated
   from unnest($1::text[], $2::text[]) asked (market, raw_id)
     join catalog.listing l on l.market = asked.market and l.raw_id = asked.raw_id
     join catalog.item i on i.id = l.item_id
   limit 1000`,
)

/** In the order of the ids; null for a listing or an item that is not known. */
export async function readReferences(
  db: Queryable,
  rawIds: readonly RawId[],
): Promise<(PriceReference | null)[]> {
  const rows = await db.query<ReferenceRow>(REFERENCES, [
    rawIds.map(({ market }) => market),
    rawIds.map(({ rawId }) => rawId),
  ])
  const byRawId = new Map(rows.map((row) => [`${row.market}:${row.raw_id}`, row]))
  return rawIds.map(({ market, rawId }) => {
    const row = byRawId.get(`${market}:${rawId}`)
    if (row === undefined) return null
    return {
      referenceMills: mills(row.reference_price_mills),
      volume: row.volume,
      isDecorated: row.is_decorated,
    }
  })
}

interface ReferenceRow {
  market: string
  raw_id: string
  reference_price_mills: bigint
  volume: number
  is_decorated: boolean
}
