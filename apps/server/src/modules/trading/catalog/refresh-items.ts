// Brings our items up to what the item source says there is.
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { IdentifiedItem } from './accept-item.ts'
import { GAME } from './item.ts'
import { type ImportRules, type ItemsPlan, planItems } from './plan-items.ts'
import type { ItemSource } from './ports.ts'
import { changeCatalog } from './store/change.ts'
import { listChangedItems, unlistItems, upsertItems } from './store/items.ts'
import { noteList } from './store/lists.ts'

export interface RefreshItemsDeps extends ImportRules {
  readonly db: Db
  readonly clock: Clock
  readonly source: ItemSource
}

export interface ItemsReport {
  /** What to ask the source with the next time. */
  readonly etag: string | null
  readonly seen: number
  readonly written: number
  readonly unlisted: number
  /** Rows that were not believed. */
  readonly dropped: number
  /** Why the list was not believed: nothing was changed. */
  readonly refused: string | null
}

const CHUNK = 2000
/** The name of the item list among those that are read. */
export const ITEMS = 'items'

/** Null when nothing changed since `etag`. A list that is not believed changes nothing. */
export async function refreshItems(
  deps: RefreshItemsDeps,
  etag: string | null,
): Promise<ItemsReport | null> {
  const read = await readPlan(deps, etag).catch(async (error: unknown) => {
    await noteList(deps.db, ITEMS, { at: deps.clock.now(), isGood: false, refused: null })
    throw error
  })
  const refused = read?.plan.refused ?? null
  if (read === null || refused !== null) {
    const at = deps.clock.now()
    await noteList(deps.db, ITEMS, { at, isGood: refused === null, refused })
  }
  if (read === null) return null
  const { plan } = read
  const counts = { seen: plan.items.length, dropped: plan.unreadable.count, refused }
  // A refused list is read whole again the next time.
  if (refused !== null) return { ...counts, etag: null, written: 0, unlisted: 0 }
  const done = await writePlan(deps, plan)
  return { ...counts, ...done, etag: read.etag }
}

/** What the source would change; null when nothing changed since `etag`. */
export async function readPlan(
  { db, source, ...rules }: Pick<RefreshItemsDeps, 'db' | 'source'> & ImportRules,
  etag: string | null,
): Promise<{ readonly plan: ItemsPlan; readonly etag: string } | null> {
  const list = await source.fetch(etag)
  if (list === null) return null
  const known = await listChangedItems(db, -1n)
  return { plan: planItems(list, known, rules), etag: list.etag }
}

/** Of a plan that is not refused. */
export async function writePlan(
  { db, clock, pricesApart }: Pick<RefreshItemsDeps, 'db' | 'clock' | 'pricesApart'>,
  { items, gone, fresh, changed }: ItemsPlan,
): Promise<{ readonly written: number; readonly unlisted: number }> {
  const written = await writeAll(db, items, pricesApart)
  // A stub may have come to another form of its name even where nothing is gone.
  const unlisted =
    gone.length + fresh.length + changed.length === 0
      ? 0
      : await changeCatalog(db, (tx, seq) =>
          unlistItems(
            tx,
            { seq, game: GAME },
            items.map(({ id }) => id),
          ),
        )
  await noteList(db, ITEMS, { at: clock.now(), isGood: true, refused: null })
  return { written, unlisted }
}

/** In chunks, each a change of its own, so that the lock that orders changes is never held for long. */
async function writeAll(
  db: Db,
  items: readonly IdentifiedItem[],
  pricesApart: boolean,
): Promise<number> {
  let written = 0
  for (let at = 0; at < items.length; at += CHUNK) {
    const chunk = items.slice(at, at + CHUNK)
    written += await changeCatalog(db, (tx, seq) =>
      upsertItems(tx, { seq, game: GAME, pricesApart }, chunk),
    )
  }
  return written
}
