import type { Clock } from '#infra/process/clock'
import { describe } from '../shared/download.ts'
import type { Log } from '../shared/feed-counters.ts'
import type { Face, GameBook } from '../shared/game-book.ts'
import type { ListedItem } from './item.ts'
import { readItemList } from './item-list.ts'

/** The game's own numbers for kinds of things whose copies differ by picture. */
const STICKER_DEF_INDEX = 1209
const CHARM_DEF_INDEX = 1355

/** Of a folder these hold all that have such numbers. */
const FILES = ['stickers', 'keychains'] as const

const KEPT_MS = 6 * 3_600_000
const RETRY_MS = 60_000

/**
 * The names behind the numbers of stickers and charms, out of the item list. It is read apart from the
 * catalogue's own import, which may run in another process.
 */
export function createGameBook({
  url,
  clock,
  log,
}: {
  readonly url: string
  readonly clock: Clock
  readonly log: Log
}): GameBook {
  let stickers: ReadonlyMap<number, Face> = new Map()
  let charms: ReadonlyMap<number, Face> = new Map()
  let etag: string | null = null
  let freshUntilMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  const read = async (): Promise<void> => {
    const faces = createFaces()
    try {
      const list = await readItemList({ url, etag, files: FILES }, faces.take)
      if (list !== null) {
        stickers = faces.stickers
        charms = faces.charms
        etag = list.etag
      }
      freshUntilMs = clock.now().getTime() + KEPT_MS
    } catch (error) {
      // Listings without names for their stickers are better than no listings.
      freshUntilMs = clock.now().getTime() + RETRY_MS
      log.warn({ reason: describe(error) }, 'the names of stickers could not be read')
    }
  }

  return {
    sticker: (stickerId) => stickers.get(stickerId) ?? null,
    charm: (charmId) => charms.get(charmId) ?? null,
    async refresh() {
      if (clock.now().getTime() < freshUntilMs) return
      reading ??= read().finally(() => {
        reading = null
      })
      await reading
    },
  }
}

function createFaces() {
  const stickers = new Map<number, Face>()
  const charms = new Map<number, Face>()
  return {
    stickers,
    charms,
    take({ item, artIndex }: ListedItem): void {
      if (artIndex === null) return
      const face = { name: item.marketHashName, iconUrl: item.iconUrl }
      if (item.defIndex === STICKER_DEF_INDEX) stickers.set(artIndex, face)
      if (item.defIndex === CHARM_DEF_INDEX) charms.set(artIndex, face)
    },
  }
}
