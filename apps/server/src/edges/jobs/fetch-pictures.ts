// Fetches the pictures of items that pages have asked for.
import { createFetchPictures, PICTURES_DUE, type PictureSource } from '#catalog'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'

export interface FetchPicturesDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly source: PictureSource
  readonly maxBytes: number
  readonly everyMs?: number
}

/** Few are fetched in a run, so that their hosts see two a second. */
const EVERY_MS = 2000

export function createFetchPicturesJob({
  log,
  everyMs = EVERY_MS,
  ...deps
}: FetchPicturesDeps): Job {
  const fetchPictures = createFetchPictures({
    ...deps,
    onFailed: (err, { source, attempts }) =>
      log.info({ err, source, attempts }, 'picture of an item not fetched'),
  })
  return {
    name: 'fetch-pictures',
    everyMs,
    singleton: true,
    due: { question: PICTURES_DUE },
    work: async ({ signal }) => {
      await fetchPictures(signal)
      // The next few after the pause.
      return false
    },
  }
}
