// What is found of all items once for each index that was built: families, which are an item with its other
// exteriors and categories, and pictures.
import type { CatalogItem } from '../item.ts'
import type { Entry, SearchIndex } from './search-index.ts'

/** The names in an index do not change. */
export function createFamilies(): (index: SearchIndex, entry: Entry) => readonly Entry[] {
  let found: { readonly index: SearchIndex; readonly families: Map<string, Entry[]> } | null = null
  return (index, entry) => {
    if (found?.index !== index) {
      const byName = Array.from(index.byName.ordinals, (i) => index.entries[i] as Entry)
      found = { index, families: Map.groupBy(byName, ({ item }) => familyOf(item)) }
    }
    return found.families.get(familyOf(entry.item)) ?? []
  }
}

/** Each once. */
export function createIconUrls(): (index: SearchIndex) => ReadonlySet<string> {
  let found: { readonly index: SearchIndex; readonly urls: ReadonlySet<string> } | null = null
  return (index) => {
    if (found?.index !== index) {
      found = { index, urls: new Set(index.entries.map(({ item }) => item.iconUrl)) }
    }
    return found.urls
  }
}

const familyOf = ({ name, category, phase }: CatalogItem): string =>
  `${category === 'Normal' ? name : name.replace(`${category} `, '')} ${phase ?? ''}`
