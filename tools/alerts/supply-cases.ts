// What can be the matter with lists and statements that markets publish.
import { type AlertCase, HOUR, once, series, steady } from './series.ts'

export const SUPPLY_CASES: readonly AlertCase[] = [
  {
    name: 'the recent statements of a market are cut for more than an hour',
    series: {
      [series('reconciliation_whole_seconds', { market: 'market_b', scope: 'recent' })]: once(HOUR),
    },
    fires: { StatementNotWhole: [{ market: 'market_b', scope: 'recent' }] },
  },
  {
    name: 'two whole statements of a market in a row are cut',
    series: {
      [series('reconciliation_whole_seconds', { market: 'market_a', scope: 'whole' })]: once(
        13 * HOUR,
      ),
    },
    fires: { StatementNotWhole: [{ market: 'market_a', scope: 'whole' }] },
  },
  {
    name: 'a list of prices is not believed',
    series: { [series('catalog_list_refused', { list: 'prices_market_a' })]: steady(1) },
    at: 20,
    fires: { CatalogueRefused: [{ list: 'prices_market_a' }] },
  },
  {
    name: 'a list of prices could not be had for seven hours',
    series: {
      [series('catalog_list_good_seconds', { list: 'prices_market_a' })]: once(7 * HOUR),
    },
    fires: { CatalogueStale: [{ list: 'prices_market_a' }] },
  },
  {
    name: 'the list of items is nine days old',
    series: { [series('catalog_list_good_seconds', { list: 'items' })]: once(9 * 24 * HOUR) },
    fires: { CatalogueStale: [{ list: 'items' }] },
  },
]
