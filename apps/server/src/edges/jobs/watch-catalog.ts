// How old the lists are that the catalogue is made from, and how much of it is known by name alone.
import type { Catalog } from '#catalog'
import type { Job } from '#infra/jobs/jobs'
import type { Metrics } from '#infra/process/metrics'

export interface WatchCatalogDeps {
  readonly catalog: Pick<Catalog, 'listStates' | 'countStubs'>
  readonly metrics: Metrics
  /** Lists of prices are read. */
  readonly pricesApart: boolean
}

export function createWatchCatalog({ catalog, metrics, pricesApart }: WatchCatalogDeps): Job {
  const good = metrics.gauge(
    'catalog_list_good_seconds',
    'When a list of items or prices was last good, in Unix seconds',
    ['list'],
  )
  const refused = metrics.gauge(
    'catalog_list_refused',
    'Whether the newest list of items or prices was not believed',
    ['list'],
  )
  const stubs = metrics.gauge('catalog_stub_items', 'Items of which only a market’s name is known')
  return {
    name: 'watch-catalog',
    everyMs: 30_000,
    singleton: true,
    figures: [good, refused, stubs],
    work: async () => {
      const states = await catalog.listStates()
      for (const gauge of [good, refused]) gauge.reset()
      for (const state of states) {
        if (!pricesApart && state.name.startsWith('prices_')) continue
        good.labels(state.name).set(state.goodAt.getTime() / 1000)
        refused.labels(state.name).set(state.refused === null ? 0 : 1)
      }
      stubs.set(await catalog.countStubs())
      return false
    },
  }
}
