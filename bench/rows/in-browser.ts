// The dashboard of an installation with 10,000 trades, opened in Chromium, for the rows about its pages.
import type { Browser } from 'playwright-core'
import { launch } from '../../tests/support/browser.ts'
import { type DashboardPlace, openDashboard } from './dashboard.ts'
import type { Bench } from './row.ts'

const TRADES = 10_000

/** What `measure` returns; the browser, the process and the database of `name` end with it. */
export async function inBrowser<T>(
  bench: Bench,
  name: string,
  measure: (opened: { readonly browser: Browser; readonly place: DashboardPlace }) => Promise<T>,
): Promise<T> {
  const place = await openDashboard(bench, name, TRADES)
  try {
    const browser = await launch()
    try {
      return await measure({ browser, place })
    } finally {
      await browser.close()
    }
  } finally {
    await place.api.stop()
    await bench.installation.drop(name)
  }
}
