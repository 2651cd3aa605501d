import { inPieces } from '#infra/in-pieces'

/** A millisecond or two: a request that comes meanwhile waits for several pieces. */
const ENTRIES_A_TURN = 100

/** The texts of entries with a comma between two, in pieces; between two pieces other requests are served. */
export async function* entriesText<Entry>(
  entries: readonly Entry[],
  textOf: (entry: Entry) => string,
): AsyncGenerator<string> {
  let before = ''
  for await (const piece of inPieces(entries, ENTRIES_A_TURN)) {
    yield before + piece.map((entry) => textOf(entry)).join(',')
    before = ','
  }
}
