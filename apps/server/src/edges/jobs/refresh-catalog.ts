// Asks the item source from time to time what exists.
import type { Catalog, ItemSource } from '#catalog'
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'

export interface RefreshCatalogDeps {
  readonly catalog: Catalog
  readonly source: ItemSource
  readonly log: Log
  /** Five minutes by default; an unchanged list costs one conditional request. */
  readonly everyMs?: number
}

export function createRefreshCatalog({
  catalog,
  source,
  log,
  everyMs = 300_000,
}: RefreshCatalogDeps): Job {
  let etag: string | null = null
  return {
    name: 'refresh-catalog',
    everyMs,
    singleton: true,
    work: async () => {
      const report = await catalog.refreshItems(source, etag)
      if (report === null) return false
      etag = report.etag
      const facts = { event: 'catalogue_refresh', ...report }
      if (report.suspicious) {
        log.warn(facts, 'catalogue refresh suspicious: most items are gone, none was hidden')
      } else log.info(facts, 'catalogue refreshed')
      return false
    },
  }
}
