// The list of things that exist in the game: one large JSON file or a folder of such, seldom changed.
import { type Clock, systemClock } from '#infra/process/clock'
import type { ItemSource, SourceItem } from '#ports/catalog'
import type { Log } from '../shared/feed-counters.ts'
import type { GameBook } from '../shared/game-book.ts'
import { createGameBook } from './game-book.ts'
import { readItemList } from './item-list.ts'

export interface CatalogSource extends ItemSource {
  /** Names for the numbers of stickers and charms, for the adapters of markets. */
  readonly gameBook: GameBook
}

export interface ItemSourceOptions {
  /** Of a file, or of a folder of the public form, which ends in a slash. */
  readonly url: string
  readonly log: Log
  /** Returns how old the game book is. */
  readonly clock?: Clock
}

/** `fetch` throws when the list cannot be had whole, or holds nothing. */
export function createItemSource({
  url,
  log,
  clock = systemClock,
}: ItemSourceOptions): CatalogSource {
  return {
    gameBook: createGameBook({ url, clock, log }),
    async fetch(etag) {
      const items: SourceItem[] = []
      const read = await readItemList({ url, etag }, ({ item }) => void items.push(item))
      return read === null ? null : { ...read, items }
    },
  }
}
