import { setImmediate as nextTurn } from 'node:timers/promises'

/** A millisecond or two: a request that comes meanwhile waits for several pieces. */
const ENTRIES_A_TURN = 100

/** The texts of entries with a comma between two, in pieces; between two pieces other requests are served. */
export async function* entriesText<Entry>(
  entries: readonly Entry[],
  textOf: (entry: Entry) => string,
): AsyncGenerator<string> {
  for (let from = 0; from < entries.length; from += ENTRIES_A_TURN) {
    const texts = entries.slice(from, from + ENTRIES_A_TURN).map((entry) => textOf(entry))
    yield `${from === 0 ? '' : ','}${texts.join(',')}`
    await nextTurn()
  }
}
