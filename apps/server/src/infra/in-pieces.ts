// Long lists on the event loop: work on thousands of entries in one go holds up every other request.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The list in pieces of `size`; between two of them other requests are served. */
export async function* inPieces<Entry>(
  entries: readonly Entry[],
  size: number,
): AsyncGenerator<readonly Entry[], void, undefined> {
  for (let from = 0; from < entries.length; from += size) {
    if (from > 0) await nextTurn()
    yield entries.slice(from, from + size)
  }
}

/** `entries.map(change)`, a piece at a time. */
export async function mapInPieces<Entry, Result>(
  entries: readonly Entry[],
  size: number,
  change: (entry: Entry) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for await (const piece of inPieces(entries, size)) {
    for (const entry of piece) results.push(change(entry))
  }
  return results
}
