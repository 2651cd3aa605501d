// What can be the matter with lists and statements that markets publish, and with our accounts there.
import { type AlertCase, from, HOUR, once, series, statements, steady } from './series.ts'

const closedBy = (because: string) =>
  series('market_account_closed', { market: 'market_a', account: 'main', because })

export const SUPPLY_CASES: readonly AlertCase[] = [
  {
    name: 'what is bought now waits for more than twelve minutes',
    series: { [series('market_expected_wait_seconds', { market: 'market_b' })]: from(5, 60, 800) },
    fires: { QueueLong: [{ market: 'market_b' }] },
  },
  {
    name: 'our account at a market has no money',
    series: { [closedBy('no_funds')]: from(5, 0, 1) },
    fires: { SupplierClosed: [{ market: 'market_a', account: 'main', because: 'no_funds' }] },
  },
  {
    name: 'our account at a market was closed for less than a minute',
    series: { [closedBy('forbidden')]: '_x10 1 stale' },
    fires: {},
  },
  {
    name: 'the money at a market lasts for less than two days',
    series: {
      [series('market_cover_days', { market: 'market_b', account: 'main' })]: from(2, 2.5, 1.9),
    },
    at: 20,
    fires: { SupplierCover: [{ market: 'market_b', account: 'main' }] },
  },
  {
    name: 'the recent statements of a market are cut for more than an hour',
    series: {
      [statements('whole', 'market_b', 'recent')]: once(HOUR),
    },
    fires: { StatementNotWhole: [{ market: 'market_b', account: 'main', scope: 'recent' }] },
  },
  {
    name: 'two whole statements of a market in a row are cut',
    series: {
      [statements('whole', 'market_a', 'whole')]: once(13 * HOUR),
    },
    fires: { StatementNotWhole: [{ market: 'market_a', account: 'main', scope: 'whole' }] },
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
