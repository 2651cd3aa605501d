// An item with its other exteriors and categories.
import type { CatalogItem } from '../item.ts'
import type { Entry, SearchIndex } from './search-index.ts'

/** Families are found once for each index that was built: the names in it do not change. */
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

const familyOf = ({ name, category, phase }: CatalogItem): string =>
  `${category === 'Normal' ? name : name.replace(`${category} `, '')} ${phase ?? ''}`
