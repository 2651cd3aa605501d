// The list of things that exist in the game: one large JSON file, seldom changed.
import type { ItemSource, SourceItem } from '#ports/catalog'
import { discard, download } from '../shared/download.ts'
import { emptyGameBook, type Face, type GameBook } from '../shared/game-book.ts'
import { readJsonElements } from '../shared/json-elements.ts'
import type { Log } from '../shared/outside.ts'
import { readItem } from './item.ts'

export interface ItemSourceOptions {
  readonly url: string
  readonly log: Log
}

const DEADLINE_MS = 120_000
const MAX_BYTES = 256 * 1024 * 1024

/** `fetch` throws when the file cannot be had whole, or holds nothing. */
export function createItemSource({ url, log }: ItemSourceOptions): ItemSource {
  return {
    async fetch(etag) {
      const answer = await download({
        url,
        headers: {
          accept: 'application/json',
          ...(etag === null ? {} : { 'if-none-match': etag }),
        },
        deadlineMs: DEADLINE_MS,
        maxBytes: MAX_BYTES,
      })
      if (answer.kind === 'failed') throw new Error(`no catalogue: ${answer.detail}`)
      if (answer.status !== 200) {
        await discard(answer)
        if (answer.status === 304 && etag !== null) return null
        throw new Error(`no catalogue: status ${answer.status}`)
      }
      const items: SourceItem[] = []
      let dropped = 0
      for await (const row of readJsonElements(answer.chunks)) {
        const item = readItem(row)
        if (item === null) dropped += 1
        else items.push(item)
      }
      if (items.length === 0) throw new Error('the catalogue holds nothing')
      if (dropped > 0) log.warn({ dropped, read: items.length }, 'catalogue rows were unreadable')
      return { etag: answer.headers.etag ?? '', items }
    },
  }
}

/** The game's own numbers for kinds of things whose copies carry a further number. */
const STICKER_DEF_INDEX = 1209
const CHARM_DEF_INDEX = 1355

/**
 * A book that is filled from whatever items pass through the source, so that markets' numbers of stickers
 * and charms get names and pictures.
 */
export function withGameBook(source: ItemSource): {
  readonly source: ItemSource
  readonly gameBook: GameBook
} {
  let book = emptyGameBook
  return {
    source: {
      async fetch(etag) {
        const fetched = await source.fetch(etag)
        if (fetched !== null) book = gameBookOf(fetched.items)
        return fetched
      },
    },
    gameBook: {
      sticker: (stickerId) => book.sticker(stickerId),
      charm: (charmId) => book.charm(charmId),
    },
  }
}

export function gameBookOf(items: readonly SourceItem[]): GameBook {
  const stickers = new Map<number, Face>()
  const charms = new Map<number, Face>()
  for (const { defIndex, paintIndex, name, iconUrl } of items) {
    if (paintIndex === null) continue
    if (defIndex === STICKER_DEF_INDEX) stickers.set(paintIndex, { name, iconUrl })
    if (defIndex === CHARM_DEF_INDEX) charms.set(paintIndex, { name, iconUrl })
  }
  return {
    sticker: (stickerId) => stickers.get(stickerId) ?? null,
    charm: (charmId) => charms.get(charmId) ?? null,
  }
}
