// Brings our items up to what the item source says there is.
import type { Db } from '#infra/database/db'
import { acceptItem, type IdentifiedItem } from './accept-item.ts'
import { GAME } from './item.ts'
import type { ItemSource } from './ports.ts'
import { changeCatalog } from './store/change.ts'
import { listItemNames, unlistItems, upsertItems } from './store/items.ts'

export interface ItemsReport {
  /** What to ask the source with the next time. */
  readonly etag: string | null
  readonly seen: number
  readonly written: number
  readonly unlisted: number
  /** Items that were not believed. */
  readonly dropped: number
  /** The list lacked more than half of what there was: nothing was hidden. */
  readonly suspicious: boolean
}

const CHUNK = 2000

/** Null when nothing changed since `etag`. */
export async function refreshItems(
  { db, source }: { readonly db: Db; readonly source: ItemSource },
  etag: string | null,
): Promise<ItemsReport | null> {
  const list = await source.fetch(etag)
  if (list === null) return null
  const items = new Map<string, IdentifiedItem>()
  let dropped = 0
  for (const item of list.items) {
    const accepted = acceptItem(item)
    if (accepted === null) dropped++
    else items.set(accepted.id, accepted)
  }
  const known = await listItemNames(db)
  const kept = known.filter(({ id }) => items.has(id)).length
  const suspicious = kept * 2 < known.length
  const written = await writeAll(db, [...items.values()])
  const unlisted =
    suspicious || kept === known.length
      ? 0
      : await changeCatalog(db, (tx, seq) =>
          unlistItems(tx, { seq, game: GAME }, [...items.keys()]),
        )
  // A suspicious list is read whole again the next time.
  return {
    etag: suspicious ? null : list.etag,
    seen: items.size,
    written,
    unlisted,
    dropped,
    suspicious,
  }
}

/** In chunks, each a change of its own, so that the lock that orders changes is never held for long. */
async function writeAll(db: Db, items: readonly IdentifiedItem[]): Promise<number> {
  let written = 0
  for (let at = 0; at < items.length; at += CHUNK) {
    const chunk = items.slice(at, at + CHUNK)
    written += await changeCatalog(db, (tx, seq) => upsertItems(tx, { seq, game: GAME }, chunk))
  }
  return written
}
