import { CS2_ITEMS, type CS2Item, type CS2ItemTranslationMap } from '@ianlucas/cs2-lib'

/** One record of the game's item list, with its English texts. */
export interface LibraryItem extends CS2Item {
  readonly name: string
  readonly collectionName: string | null
}

export const libraryItems: readonly LibraryItem[] = await readLibrary()

/** 'AK-47 | Redline' gives ['AK-47', 'Redline']; what has no bar gives [name, null]. */
export function splitName(name: string): readonly [string, string | null] {
  const bar = name.indexOf(' | ')
  return bar < 0 ? [name, null] : [name.slice(0, bar), name.slice(bar + 3)]
}

// The library's door for translations imports all 29 languages: 187 MB of source, of which the
// dataset needs one. English is therefore imported by its own file, which stands beside that door.
async function readLibrary(): Promise<readonly LibraryItem[]> {
  const door = import.meta.resolve('@ianlucas/cs2-lib/translations')
  const { english } = (await import(new URL('./english.mjs', door).href)) as {
    english: CS2ItemTranslationMap
  }
  const items: LibraryItem[] = []
  for (const item of CS2_ITEMS) {
    const words = english[String(item.id)]
    if (words === undefined) continue
    items.push({ ...item, name: words.name, collectionName: words.collectionName ?? null })
  }
  return items
}
