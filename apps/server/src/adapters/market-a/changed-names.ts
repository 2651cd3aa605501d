import type { ListingBook } from './listing-book.ts'
import type { NameBook } from './name-book.ts'
import { SEARCH_BATCH } from './search.ts'

/** About two megabytes: fifty of the names that change most have thirty thousand listings together. */
const REREAD_ROWS = 10_000

/**
 * The names to read again now, each with its number: as many as one answer may hold the listings of. They
 * are taken off before the call: a change that arrives while we read must lead to another look.
 */
export function takeBatch(
  changedNames: Set<string>,
  names: NameBook,
  book: Pick<ListingBook, 'countOf'>,
): ReadonlyMap<string, string> {
  const batch = new Map<string, string>()
  let rows = 0
  for (const nameId of changedNames) {
    const name = names.nameOf(nameId)
    // A number that the list does not have yet stays until the list is read again.
    if (name === null) continue
    rows += book.countOf(name)
    if (batch.size > 0 && rows > REREAD_ROWS) break
    changedNames.delete(nameId)
    batch.set(name, nameId)
    if (batch.size >= SEARCH_BATCH) break
  }
  return batch
}
