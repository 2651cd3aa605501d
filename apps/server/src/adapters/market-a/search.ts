import type { Mills } from '#kernel/money'
import type { CallContext } from '#ports/buying'
import type { Urgency } from '../shared/pacer.ts'
import {
  type Fields,
  fieldsOf,
  flagOf,
  idOf,
  listOf,
  own,
  percentOf,
  priceOf,
  servedOf,
  textOf,
  wearOf,
} from '../shared/reader.ts'
import type { KeyedCalls } from './calls.ts'

/** What a search shows of a listing: no phase, no seed, no asset. Only the export has those. */
export interface FoundListing {
  readonly rawId: string
  readonly priceMills: Mills
  readonly classId: string | null
  readonly instanceId: string | null
  readonly wear: string | null
  readonly stickerIds: string
  /** Percent of the seller's sales that are delivered; null where the market does not say. */
  readonly chance: number | null
}

export const SEARCH_BATCH = 50

/** The listings of each name. Null when the search failed; a name without listings has an empty list. */
export async function searchByNames(
  calls: KeyedCalls,
  names: readonly string[],
  options: {
    readonly urgency: Urgency
    readonly patienceMs: number
    readonly deadlineMs: number
    readonly context: CallContext
  },
): Promise<ReadonlyMap<string, readonly FoundListing[]> | null> {
  const outcome = await calls.call({
    method: 'search-list-items-by-hash-name-all',
    query: { 'list_hash_name[]': names },
    maxBytes: 16 * 1024 * 1024,
    ...options,
  })
  if (outcome.kind !== 'answer') return null
  const fields = servedOf(outcome)
  if (fields === null || flagOf(own(fields, 'success')) !== true) return null
  // PHP spells an empty map as an empty list.
  const isEmpty = listOf(own(fields, 'data'))?.length === 0
  const data = isEmpty ? {} : fieldsOf(own(fields, 'data'))
  if (data === null) return null
  return new Map(names.map((name) => [name, readListings(own(data, name))]))
}

function readListings(rows: unknown): readonly FoundListing[] {
  return (listOf(rows) ?? []).flatMap((row) => {
    const fields = fieldsOf(row)
    const rawId = fields === null ? null : idOf(own(fields, 'id'))
    const priceMills = fields === null ? null : priceOf(own(fields, 'price'))
    if (fields === null || rawId === null || priceMills === null) return []
    const extra = fieldsOf(own(fields, 'extra')) ?? {}
    return {
      rawId,
      priceMills,
      classId: idOf(own(fields, 'class')),
      instanceId: idOf(own(fields, 'instance')),
      wear: wearOf(own(extra, 'float')),
      stickerIds: textOf(own(extra, 'stickers')) ?? '',
      chance: chanceIn(fields) ?? chanceIn(extra),
    }
  })
}

/** The market spells it in two ways, and beside the listing or among its details. */
const chanceIn = (fields: Fields): number | null =>
  percentOf(own(fields, 'chance_to_transfer')) ?? percentOf(own(fields, 'percent_success'))
