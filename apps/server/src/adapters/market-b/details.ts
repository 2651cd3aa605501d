import type { CallContext } from '#ports/buying'
import type { SourceListing } from '#ports/catalog'
import type { GameBook } from '../shared/game-book.ts'
import { fieldsOf, flagOf, listOf, own, servedOf } from '../shared/reader.ts'
import type { Calls } from './calls.ts'
import { readDetailedRow } from './listing.ts'
import type { MarketBSettings } from './settings.ts'

export const DETAIL_BATCH = 50
const MAX_BYTES = 16 * 1024 * 1024

/** All listings of these names (in market B's spelling) with everything known of them; empty on failure. */
export async function readDetails(
  {
    calls,
    settings,
    gameBook,
  }: { readonly calls: Calls; readonly settings: MarketBSettings; readonly gameBook: GameBook },
  names: readonly string[],
  context: CallContext,
): Promise<readonly SourceListing[]> {
  const outcome = await calls({
    path: '/v2/search-items-by-name',
    query: { game: 'csgo', minified: 0, delivery_details: 1, name: names },
    budget: 'searches',
    deadlineMs: settings.callDeadlineMs,
    maxBytes: MAX_BYTES,
    context,
  })
  const fields = outcome.kind === 'answer' ? servedOf(outcome) : null
  if (fields === null || flagOf(own(fields, 'success')) !== true) return []
  const items = fieldsOf(own(fields, 'items')) ?? {}
  return names
    .flatMap((name) => listOf(own(items, name)) ?? [])
    .map((row) => readDetailedRow(row, gameBook))
    .filter((listing) => listing !== null)
}
