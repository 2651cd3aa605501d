// Reads the markets' lists of prices once an hour, and sooner again where one could not be had.
import type { Catalog, PriceList } from '#catalog'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'

export interface RefreshPricesJobDeps {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly log: Log
  /** None: prices are those of the item list. */
  readonly lists: readonly PriceList[]
  readonly everyMs?: number
}

const LOOK_MS = 10_000
const EVERY_MS = 3_600_000
const RETRY_MS = 600_000

export function createRefreshPrices({
  catalog,
  clock,
  log,
  lists,
  everyMs = EVERY_MS,
}: RefreshPricesJobDeps): Job {
  let dueMs = Number.NEGATIVE_INFINITY
  return {
    name: 'refresh-prices',
    everyMs: LOOK_MS,
    singleton: true,
    work: async ({ signal }) => {
      if (lists.length === 0 || clock.now().getTime() < dueMs) return false
      // Prices of items that are not there yet would be lost until the next hour.
      if ((await catalog.itemsVersion()) === 0n) return false
      const report = await catalog.refreshPrices(lists, signal)
      const bad = report.lists.filter(({ refused, failed }) => refused !== null || failed !== null)
      dueMs = clock.now().getTime() + (bad.length === 0 ? everyMs : Math.min(everyMs, RETRY_MS))
      const fields = { event: 'prices_refresh', ...report }
      if (report.lists.some(({ refused }) => refused !== null)) {
        log.error({ ...fields, alarm: 'catalogue_refused' }, 'a list of prices was refused')
      } else if (bad.length > 0) log.warn(fields, 'a list of prices could not be had')
      else log.info(fields, 'prices refreshed')
      return false
    },
  }
}
