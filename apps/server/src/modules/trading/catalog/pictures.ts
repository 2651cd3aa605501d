// Pictures of items: a process that answers requests notes what pages ask for, and workers fetch it once.
import { gathered } from '#infra/database/batch'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { createBoundedCache } from '#infra/process/memo'
import type { PictureFiles, PictureSource } from './ports.ts'
import {
  type AskedPicture,
  askPictures,
  type ClaimedPicture,
  claimPictures,
  dropOldestPictures,
  type FoundPicture,
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
/** What was given up is tried again when it is asked for so much later. */
const GIVEN_UP_FOR_MS = 86_400_000

export function createPictures({
  db,
  clock,
  sourceOf,
}: Deps & {
  /** An address, or a hash of the platform, of the item whose picture has the name. */
  readonly sourceOf: (name: string) => Promise<string | null>
}): Pictures {
  const remembered = createBoundedCache<Buffer>(REMEMBERED_BYTES, ({ length }) => length)
  const read = createReader({ db, clock })
  return {
    find: async (name, size) => {
      const key = `${size} ${name}`
      const known = remembered.get(key)
      if (known !== undefined) return known
      // From memory: anybody may ask for any name.
      const source = await sourceOf(name)
      if (source === null) return null
      const bytes = await read({ name, source, size })
      if (bytes !== null) remembered.set(key, bytes)
      return bytes
    },
  }
}

interface Look extends AskedPicture {
  readonly size: keyof PictureFiles
}

/**
 * Of a process one look-up at a time: anonymous callers, whom nothing names, take one connection of its pool.
 */
const createReader = ({ db, clock }: Deps) =>
  gathered({
    keyOf: (_: Look) => 'anonymous callers of pictures',
    isOfTenant: true,
    write: async (looks) => {
      const found = {
        small: await findByName(db, 'small', looks),
        large: await findByName(db, 'large', looks),
      }
      const at = clock.now()
      const since = new Date(at.getTime() - GIVEN_UP_FOR_MS)
      const wanted = looks.filter(({ name, size }) => isWanted(found[size].get(name), since))
      if (wanted.length > 0) {
        const byName = new Map(wanted.map((one) => [one.name, one]))
        await askPictures(db, [...byName.values()], { at, since })
      }
      return looks.map(({ name, size }) => found[size].get(name)?.bytes ?? null)
    },
  })

async function findByName(
  db: Db,
  size: keyof PictureFiles,
  looks: readonly Look[],
): Promise<ReadonlyMap<string, FoundPicture>> {
  const names = looks.filter((look) => look.size === size).map(({ name }) => name)
  const found = names.length === 0 ? [] : await findPictures(db, size, names)
  return new Map(found.map((one) => [one.name, one]))
}

const isWanted = (found: FoundPicture | undefined, since: Date): boolean =>
  found === undefined || (found.bytes === null && found.dueAt === null && found.askedAt < since)

/** Fetched at once: they are small, and hosts of pictures close their doors to who asks for many. */
const AT_ONCE = 4
/** Longer than a fetch takes, with its deadline. */
const CLAIMED_FOR_MS = 60_000
const ATTEMPTS = 5
const FIRST_PAUSE_MS = 5_000

/** Fetches the next few that are due. */
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
}): (signal: AbortSignal) => Promise<void> {
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
    const claimed = await claimPictures(db, { at, until, limit: AT_ONCE, maxAttempts: ATTEMPTS })
    await Promise.all(claimed.map((picture) => fetchOne(picture, signal)))
    if (claimed.length > 0) {
      const before = new Date(at.getTime() - GIVEN_UP_FOR_MS)
      await dropOldestPictures(db, { maxBytes, before })
    }
  }
}

const nextTry = ({ attempts }: ClaimedPicture, now: Date): Date | null =>
  attempts >= ATTEMPTS ? null : new Date(now.getTime() + FIRST_PAUSE_MS * 4 ** (attempts - 1))
