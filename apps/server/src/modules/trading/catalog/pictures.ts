// Pictures of items: a process that answers requests notes what pages ask for, and workers fetch it once.
import { batched } from '#infra/database/batch'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { createBoundedCache } from '#infra/process/memo'
import type { PictureFiles, PictureSource } from './ports.ts'
import {
  askPicture,
  type ClaimedPicture,
  claimPictures,
  dropOldestPictures,
  findPictures,
  keepPicture,
  putOffPicture,
} from './store/pictures.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
}

export interface Pictures {
  /** WebP; null where there is none, or none yet: a worker fetches it if the catalogue has such an item. */
  find(name: string, size: keyof PictureFiles): Promise<Buffer | null>
}

/** What many pages show is read from the database once. */
const REMEMBERED_BYTES = 16 * 1024 * 1024

export function createPictures({
  db,
  clock,
  sourceOf,
}: Deps & {
  /** An address, or a hash of the platform, of the item whose picture has the name. */
  readonly sourceOf: (name: string) => Promise<string | null>
}): Pictures {
  const remembered = createBoundedCache<Buffer>(REMEMBERED_BYTES, ({ length }) => length)
  const reads = { small: readerOf(db, 'small'), large: readerOf(db, 'large') }
  return {
    find: async (name, size) => {
      const key = `${size} ${name}`
      const known = remembered.get(key)
      if (known !== undefined) return known
      const found = await reads[size](name)
      if (found?.bytes) {
        remembered.set(key, found.bytes)
        return found.bytes
      }
      const source = await sourceOf(name)
      if (source !== null) await askPicture(db, { name, source }, clock.now())
      return null
    },
  }
}

const readerOf = (db: Db, size: keyof PictureFiles) =>
  batched(async (names: readonly string[]) => {
    const byName = new Map((await findPictures(db, size, names)).map((one) => [one.name, one]))
    return names.map((name) => byName.get(name) ?? null)
  })

/** Fetched at once: they are small, and hosts of pictures close their doors to who asks for many. */
const AT_ONCE = 4
/** Longer than a fetch takes, with its deadline. */
const CLAIMED_FOR_MS = 60_000
const ATTEMPTS = 5
const FIRST_PAUSE_MS = 5_000

/** Does a bounded piece of work: true when there may be more. */
export function createFetchPictures({
  db,
  clock,
  source,
  maxBytes,
  onFailed,
}: Deps & {
  readonly source: PictureSource
  /** Of all that are kept. */
  readonly maxBytes: number
  readonly onFailed: (error: unknown, picture: ClaimedPicture) => void
}): (signal: AbortSignal) => Promise<boolean> {
  const fetchOne = async (picture: ClaimedPicture, signal: AbortSignal): Promise<void> => {
    try {
      const files = await source.fetch(picture.source, signal)
      if (files === null) await putOffPicture(db, picture.name, null)
      else await keepPicture(db, picture.name, files, clock.now())
    } catch (error) {
      // A process that stops leaves it to the next worker.
      if (signal.aborted) return
      onFailed(error, picture)
      await putOffPicture(db, picture.name, nextTry(picture, clock.now()))
    }
  }
  return async (signal) => {
    const at = clock.now()
    const until = new Date(at.getTime() + CLAIMED_FOR_MS)
    const claimed = await claimPictures(db, { at, until, limit: AT_ONCE })
    await Promise.all(claimed.map((picture) => fetchOne(picture, signal)))
    if (claimed.length < AT_ONCE && claimed.length > 0) await dropOldestPictures(db, maxBytes)
    return claimed.length === AT_ONCE && !signal.aborted
  }
}

const nextTry = ({ attempts }: ClaimedPicture, now: Date): Date | null =>
  attempts >= ATTEMPTS ? null : new Date(now.getTime() + FIRST_PAUSE_MS * 4 ** (attempts - 1))
