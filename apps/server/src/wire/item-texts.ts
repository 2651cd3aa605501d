// Texts of catalogue items as JSON that are written once and sent many times.
import type { CatalogItem } from '#catalog'

/** By identity: an item that leaves the catalogue takes its text with it. */
export function lasting(
  texts: WeakMap<CatalogItem, string>,
  item: CatalogItem,
  write: (item: CatalogItem) => string,
): string {
  let text = texts.get(item)
  if (text === undefined) {
    text = asciiOf(write(item))
    texts.set(item, text)
  }
  return text
}

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
