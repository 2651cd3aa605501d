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
}

const EVERY_MS = 1000

export function createFetchPicturesJob({ log, ...deps }: FetchPicturesDeps): Job {
  const fetchPictures = createFetchPictures({
    ...deps,
    onFailed: (err, { source, attempts }) =>
      log.info({ err, source, attempts }, 'picture of an item not fetched'),
  })
  return {
    name: 'fetch-pictures',
    everyMs: EVERY_MS,
    due: { question: PICTURES_DUE },
    work: ({ signal }) => fetchPictures(signal),
  }
}
