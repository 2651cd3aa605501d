// A long answer as segments of text. One whose entries are as they were is not written again: of thousands
// of prices few move between two answers.
import { inChunks } from '#infra/limits/in-chunks'

export interface Segment {
  /** While these are the same, so is the text. */
  versions(): readonly unknown[]
  text(): string
}

/** What it is made of never changes. */
export const fixed = (text: string): Segment => ({ versions: () => [text], text: () => text })

/** A millisecond or two: a request that comes meanwhile waits for several. */
const ENTRIES_A_TURN = 100

/** The texts of entries with a comma between two; between two segments other requests are served. */
export async function* segmentsOf<Entry>(
  entries: readonly Entry[],
  {
    versionOf = (entry) => entry,
    textOf,
  }: {
    /** The same for entries with the same text in the same place; the entry itself where it is not said. */
    readonly versionOf?: (entry: Entry) => unknown
    readonly textOf: (entry: Entry) => string
  },
): AsyncGenerator<Segment> {
  let before = ''
  for await (const piece of inChunks(entries, ENTRIES_A_TURN)) {
    const comma = before
    yield {
      versions: () => piece.map((entry) => versionOf(entry)),
      text: () => comma + piece.map((entry) => textOf(entry)).join(','),
    }
    before = ','
  }
}
