// What is asked of listings over all items: as the query of our route, and as the condition of a statement.
import { readRows } from './installation.ts'

export interface ListingQuestion {
  /** Of `GET /market/listings`, without sort and cursor. */
  readonly query: Readonly<Record<string, string>>
  /** Conditions on `l`, a listing; `$n` counts from 1 in `values`. */
  readonly where: string
  readonly values: readonly unknown[]
}

interface Sample {
  readonly itemId: string
  readonly itemType: string
  readonly weapon: string | null
  readonly exterior: string | null
  readonly rarity: string
  readonly priceMills: string
  readonly wear: number | null
  readonly seed: number | null
  readonly sticker: string | null
}

/** Every filter alone and several together, drawn from listings that are there. */
export async function readListingQuestions(url: string, count: number): Promise<ListingQuestion[]> {
  const samples = await readRows<Sample>(url, SAMPLES, [count])
  return samples.map((sample, i) =>
    (KINDS[i % KINDS.length] as (of: Sample) => ListingQuestion)(sample),
  )
}

/** In an order that has nothing to do with their places in the table; every other one has a sticker. */
const SAMPLES = `
  with sampled as (
    select l.*, row_number() over (partition by l.sticker_count > 0 order by hashint8(l.id)) nth
    from catalog.listing l where l.live and not l.taken)
  select i.id "itemId", i.item_type "itemType", i.weapon, i.exterior, i.rarity, s.price_mills::text "priceMills",
    s.wear, s.paint_seed seed, s.details -> 'stickers' -> 0 ->> 'name' sticker
  from sampled s join catalog.item i on i.id = s.item_id
  where s.nth <= $1 order by s.nth, s.sticker_count > 0 limit $1`

const KINDS: readonly ((of: Sample) => ListingQuestion)[] = [
  () => ({ query: {}, where: 'true', values: [] }),
  ({ itemId }) => ({ query: { itemId }, where: 'l.item_id = $1', values: [itemId] }),
  (of) => ofPrices(of, 0.9, 1.1),
  ({ wear }) => {
    const [from, to] = [round(wear ?? 0.1), round((wear ?? 0.1) + 0.01)]
    return {
      query: { minWear: String(from), maxWear: String(to) },
      where: 'l.wear >= $1 and l.wear <= $2',
      values: [from, to],
    }
  },
  ({ seed }) => {
    const seeds = [seed ?? 1, ((seed ?? 1) + 311) % 1000]
    return {
      query: { paintSeed: seeds.join() },
      where: 'l.paint_seed = any ($1::integer[])',
      values: [seeds],
    }
  },
  ({ sticker }) =>
    sticker === null || sticker.includes(',')
      ? { query: {}, where: 'true', values: [] }
      : {
          query: { stickers: sticker },
          where: "l.details -> 'stickers' @> $1::jsonb",
          values: [JSON.stringify([{ name: sticker }])],
        },
  ({ itemType, exterior }) => ({
    query: { itemType, ...(exterior !== null && { exterior }) },
    where: `l.item_id in (select i.id from catalog.item i where i.item_type = $1
      and ($2::text is null or i.exterior = $2))`,
    values: [itemType, exterior],
  }),
  () => ({
    query: { market: 'market_b', delivery: 'instant' },
    where: "l.market = 'market_b' and l.delivery = 'instant'",
    values: [],
  }),
  ({ rarity, wear }) => {
    const most = round((wear ?? 0.2) + 0.001)
    return {
      query: { rarity, maxWear: String(most), minPrice: '5.00' },
      where: `l.item_id in (select i.id from catalog.item i where i.rarity = $1)
        and l.wear <= $2 and l.price_mills >= 5000`,
      values: [rarity, most],
    }
  },
  (of) => {
    const prices = ofPrices(of, 0.5, 2)
    return {
      query: { ...prices.query, ...(of.weapon !== null && { weapon: of.weapon }) },
      where: `${prices.where} and l.item_id in (
        select i.id from catalog.item i where $3::text is null or i.weapon = $3)`,
      values: [...prices.values, of.weapon],
    }
  },
]

function ofPrices({ priceMills }: Sample, from: number, to: number): ListingQuestion {
  const cents = (factor: number): number =>
    Math.max(1, Math.round((Number(priceMills) * factor) / 10))
  const [least, most] = [cents(from), cents(to)]
  return {
    query: { minPrice: (least / 100).toFixed(2), maxPrice: (most / 100).toFixed(2) },
    where: 'l.price_mills between $1 and $2',
    values: [least * 10, most * 10],
  }
}

const round = (wear: number): number => Math.min(1, Math.round(wear * 10_000) / 10_000)
