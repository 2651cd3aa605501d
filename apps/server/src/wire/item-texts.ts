// Texts of catalogue items as JSON that are written once and sent many times.
import type { Entry } from '#catalog'

/**
 * The text of an entry, written again when `partOf` it is another: its item, or its version. Kept by ordinal,
 * so that a rebuilt index takes the place of the one before. In a `WeakMap` the texts would hold up all
 * callers: V8 marks its values while nothing else runs, which took 78 of the 101 ms of a collection.
 */
function keptTexts<Part>(
  partOf: (entry: Entry) => Part,
  write: (entry: Entry) => string,
): (entry: Entry) => string {
  const kept: ({ readonly part: Part; readonly text: string } | null)[] = []
  return (entry) => {
    const part = partOf(entry)
    const known = kept[entry.ordinal]
    if (known?.part === part) return known.text
    const text = write(entry)
    // Without holes, so that it stays an array.
    while (kept.length < entry.ordinal) kept.push(null)
    kept[entry.ordinal] = { part, text }
    return text
  }
}

/** What of an item never moves, in ASCII. */
export const keptHeads = (write: (item: Entry['item']) => string): ((entry: Entry) => string) =>
  keptTexts(
    ({ item }) => item,
    ({ item }) => asciiOf(write(item)),
  )

/** What moves with prices and stock. */
export const keptFigures = (write: (entry: Entry) => string): ((entry: Entry) => string) =>
  keptTexts(({ version }) => version, write)

/**
 * The same JSON in ASCII. A single ★ in one of its names would make a whole answer a text of two bytes a
 * character, which has to be encoded anew each time it is sent; that took a third of a suggestion's time.
 */
function asciiOf(json: string): string {
  const escaped = json.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  // Once more from its bytes: a text that came from one of two bytes a character still is one.
  return Buffer.from(escaped, 'latin1').toString('latin1')
}

/** An object that is not closed: more fields follow. */
export const open = (fields: object): string => JSON.stringify(fields).slice(0, -1)
