// The dashboard of an installation with 10,000 trades, opened in Chromium, for the rows about its pages.
import type { Browser } from 'playwright-core'
import { launch } from '../../tests/support/browser.ts'
import { type DashboardPlace, openDashboard } from './dashboard.ts'
import type { Bench } from './row.ts'

const TRADES = 10_000

interface Opened<B> {
  readonly browser: B
  readonly place: DashboardPlace
}

/** What `measure` returns; the browser, the process and the database of `name` end with it. */
export const inBrowser = <T>(
  bench: Bench,
  name: string,
  measure: (opened: Opened<Browser>) => Promise<T>,
): Promise<T> => inBrowserOf(launch, { bench, name }, measure)

/** The same in a browser that is started and driven otherwise. */
export async function inBrowserOf<B extends { close(): Promise<void> }, T>(
  start: () => Promise<B>,
  { bench, name }: { readonly bench: Bench; readonly name: string },
  measure: (opened: Opened<B>) => Promise<T>,
): Promise<T> {
  const place = await openDashboard(bench, name, TRADES)
  try {
    const browser = await start()
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
