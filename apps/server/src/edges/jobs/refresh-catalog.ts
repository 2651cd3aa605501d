// Asks the item source from time to time what exists.
import type { Catalog, ItemSource } from '#catalog'
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'

export interface RefreshCatalogDeps {
  readonly catalog: Catalog
  readonly source: ItemSource
  readonly log: Log
  /** Prices come from lists of their own. */
  readonly pricesApart: boolean
  /** Five minutes by default; an unchanged list costs one conditional request. */
  readonly everyMs?: number
}

export function createRefreshCatalog({
  catalog,
  source,
  log,
  pricesApart,
  everyMs = 300_000,
}: RefreshCatalogDeps): Job {
  let etag: string | null = null
  return {
    name: 'refresh-catalog',
    everyMs,
    singleton: true,
    work: async () => {
      const report = await catalog
        .refreshItems(source, etag, { pricesApart })
        .catch(async (error: unknown) => {
          // Without a catalogue nothing is for sale; with one, its list may be away for days.
          if ((await catalog.itemsVersion()) === 0n) throw error
          log.warn({ event: 'catalogue_away', err: error }, 'item list could not be had')
          return null
        })
      if (report === null) return false
      etag = report.etag
      const fields = { event: 'catalogue_refresh', ...report }
      if (report.refused !== null) {
        log.error(
          { ...fields, alarm: 'catalogue_refused' },
          'item list refused: nothing was changed',
        )
      } else log.info(fields, 'catalogue refreshed')
      return false
    },
  }
}
