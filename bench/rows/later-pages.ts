// The pages after the first one, in Chromium with the scripts in its cache: a merchant, a partner and an
// administrator click through their navigation, and each page counts from the click until its content with
// its data is there. Nothing of the data is cached: every page is opened once in a tab, and the next round is
// another tab. The CPU is not slowed: the aim of a slowed one is that of the first page.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { logIn } from '../installation/session.ts'
import { median } from '../rounds.ts'
import type { DashboardPlace } from './dashboard.ts'
import { inBrowser } from './in-browser.ts'
import { type Bench, type Line, ms, type RunRow } from './row.ts'

const MAX_MS = 100
const LINKS = 'nav#pages a[href^="/dashboard/"]'

export const runLaterPages: RunRow = (bench) =>
  inBrowser(bench, 'bench_later_pages', async ({ browser, place }) => {
    const { partnerLogin, adminLogin } = bench.installation
    const origin = `http://127.0.0.1:${place.api.port}`
    const people = [
      { who: 'a merchant', cookie: place.cookie },
      { who: 'a partner', cookie: await logIn(origin, partnerLogin) },
      { who: 'an administrator', cookie: await logIn(origin, adminLogin) },
    ]
    const lines: Line[] = []
    for (const person of people) lines.push(await measure(browser, { ...person, place }, bench))
    return lines
  })

interface Person {
  readonly who: string
  readonly cookie: string
  readonly place: DashboardPlace
}

async function measure(
  browser: Browser,
  { who, cookie, place }: Person,
  { rounds, say }: Bench,
): Promise<Line> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const url = `http://localhost:${place.api.port}/dashboard`
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, url }])
    // The scripts come into the browser's cache, and the process has answered each read once.
    await clickThrough(context, url)
    const taken = new Map<string, number[]>()
    for (let i = 0; i < rounds; i++) {
      for (const [path, tookMs] of await clickThrough(context, url)) {
        taken.set(path, [...(taken.get(path) ?? []), tookMs])
      }
    }
    const medians = [...taken].map(([path, times]) => ({ path, tookMs: median(times) }))
    medians.sort((a, b) => b.tookMs - a.tookMs)
    for (const { path, tookMs } of medians) say(`${who}: ${path} ${ms(tookMs)}`)
    const ours = median(medians.map(({ tookMs }) => tookMs))
    const slowest = medians[0]
    if (slowest === undefined) throw new Error(`the navigation of ${who} has no links`)
    return {
      path: `later pages of ${who}: from the click until the content with its data is there`,
      ours: ms(ours),
      ...{ peer: '', ratio: '', scatter: null, rounds: null },
      aim: `< ${MAX_MS} ms`,
      reached: ours < MAX_MS,
      note: `median of the ${medians.length} pages of the navigation, each the median of ${rounds}; the slowest, ${slowest.path}, takes ${ms(slowest.tookMs)}; ${place.trades.toLocaleString('en')} trades, scripts cached, data not, CPU not slowed`,
    }
  } finally {
    await context.close()
  }
}

/** Each page of the navigation, once, in a tab of its own; how long each took, by its path. */
async function clickThrough(context: BrowserContext, url: string): Promise<Map<string, number>> {
  const page = await context.newPage()
  try {
    await page.addInitScript({ content: WATCH })
    await page.goto(`${url}/login-settings`)
    await page.locator('main#content h1').waitFor()
    const taken = new Map<string, number>()
    const links = page.locator(LINKS)
    const count = await links.count()
    for (let i = 0; i < count; i++) {
      const link = links.nth(i)
      const path = (await link.getAttribute('href')) ?? ''
      if (path.endsWith('/login-settings')) continue
      await settle(page)
      await link.click()
      taken.set(path, await arrival(page))
    }
    return taken
  } finally {
    await page.close()
  }
}

/** What the page before still loads is no part of the next one. */
const settle = (page: Page): Promise<void> =>
  page.locator('[data-loading]').first().waitFor({ state: 'detached' })

const arrival = (page: Page): Promise<number> =>
  page.evaluate<number>(
    'new Promise((resolve) => { const look = () => globalThis.benchArrival.tookMs === null ? setTimeout(look, 5) : resolve(globalThis.benchArrival.tookMs); look() })',
  )

/**
 * In the page, before its own scripts: from a click on a link until there is another heading and nothing that
 * says it is loading.
 */
const WATCH = `{
  const seen = { tookMs: null }
  globalThis.benchArrival = seen
  let clicked = null
  document.addEventListener('click', (event) => {
    if (event.target.closest?.('a') === null) return
    clicked = { at: event.timeStamp, heading: document.querySelector('main#content h1') }
    seen.tookMs = null
  }, true)
  new MutationObserver(() => {
    if (clicked === null || seen.tookMs !== null) return
    const heading = document.querySelector('main#content h1')
    if (heading === null || heading === clicked.heading) return
    if (document.querySelector('[data-loading]') === null) seen.tookMs = performance.now() - clicked.at
  }).observe(document, { childList: true, subtree: true })
}`
