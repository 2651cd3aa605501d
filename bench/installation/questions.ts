// What people ask the market: questions drawn from the catalogue itself, the same ones in every run.
import { readRows } from './installation.ts'

export interface ItemName {
  readonly name: string
  readonly itemType: string
  readonly weapon: string | null
  readonly exterior: string | null
  readonly rarity: string
  readonly category: string
}

/** In an order that has nothing to do with the alphabet. */
export const readNames = (url: string): Promise<ItemName[]> =>
  readRows<ItemName>(
    url,
    `select market_hash_name name, item_type "itemType", weapon, exterior, rarity, category
     from catalog.item i
     where listed and exists (select from catalog.stock s where s.item_id = i.id)
     order by id limit 4000`,
  )

const QUERIES = 200

/** Text, filters and an order in every question; a fifth of the texts has a typing error. */
export function searchPaths(names: readonly ItemName[]): string[] {
  const sorts = ['relevance', 'priceAsc', 'priceDesc', 'nameAsc', 'nameDesc']
  const paths = new Set<string>()
  for (const [i, item] of names.entries()) {
    if (paths.size === QUERIES) break
    const words = wordsOf(item.name)
    if (words.length < 2) continue
    const sort = sorts[i % sorts.length] ?? 'relevance'
    const text = textFor(i, words)
    const query = new URLSearchParams({ q: text, sort, ...filterFor(i, item) })
    paths.add(`/market/search?${query}`)
  }
  return [...paths]
}

/** What is sent while a person types: names cut after two to nine letters. */
export function suggestionPaths(names: readonly ItemName[]): string[] {
  const paths = new Set<string>()
  for (const [i, item] of names.entries()) {
    if (paths.size === QUERIES) break
    const text = wordsOf(item.name)
      .slice(i % 2)
      .join(' ')
      .slice(0, 2 + (i % 8))
      .trim()
    if (text !== '') paths.add(`/market/search/suggestions?${new URLSearchParams({ q: text })}`)
  }
  return [...paths]
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/\([^)]*\)/g, ' ')
    .split(/[^\p{L}\p{N}-]+/u)
    .filter((word) => word.length > 1)

function textFor(i: number, words: readonly string[]): string {
  const first = words[0] ?? ''
  const last = words.at(-1) ?? ''
  switch (i % 5) {
    case 0:
      return first
    case 1:
      return `${last} ${first}`
    case 2:
      return last.slice(0, 3)
    case 3:
      return words.join(' ')
    default:
      return swapLetters(last)
  }
}

/** A letter left out of the middle of a word that is long enough. */
const swapLetters = (word: string): string =>
  word.length >= 6 ? word.slice(0, 3) + word.slice(4) : word

function filterFor(i: number, item: ItemName): Record<string, string> {
  switch (i % 6) {
    case 0:
      return item.exterior ? { exterior: item.exterior } : { itemType: item.itemType }
    case 1:
      return { rarity: item.rarity, inStock: 'true' }
    case 2:
      return { minPrice: '0.50', maxPrice: '500' }
    case 3:
      return { category: item.category, page: '1', limit: '50' }
    case 4:
      return item.weapon ? { weapon: item.weapon } : { itemType: item.itemType }
    default:
      return { delivery: 'instant', minPrice: '0.10' }
  }
}
