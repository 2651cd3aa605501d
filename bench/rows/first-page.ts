// The first page of the dashboard in Chromium with an empty cache and a CPU slowed four times (CDP): for a
// visitor the log-in form, for a person with a session the overview. How many bytes of script it loads, and
// when it is interactive: its content is there with its data, and no task of more than 50 ms follows.
import type { Browser, CDPSession, Page } from 'playwright-core'
import { median } from '../rounds.ts'
import { inBrowser } from './in-browser.ts'
import { type Bench, type Line, ms, type RunRow } from './row.ts'

const SLOWED = 4
const MAX_SCRIPT_BYTES = 180_000
const MAX_INTERACTIVE_MS = 1000
/** Far longer than it takes, and what still comes after the content: its tasks count. */
const LEFT_ALONE_MS = 4000

interface Opening {
  readonly name: string
  readonly url: string
  /** Null: a visitor. */
  readonly cookie: string | null
  /** Is there when the page is. */
  readonly content: string
}

export const runFirstPage: RunRow = (bench) =>
  inBrowser(bench, 'bench_first_page', async ({ browser, place }) => {
    const base = `http://localhost:${place.api.port}/dashboard`
    const openings: Opening[] = [
      { name: 'log-in page', url: base, cookie: null, content: 'form input[type=password]' },
      {
        ...{ name: 'overview', url: `${base}/overview`, cookie: place.cookie },
        content: 'main#content h1',
      },
    ]
    const lines: Line[] = []
    for (const opening of openings) lines.push(...(await measure(browser, opening, bench)))
    return lines
  })

interface Opened {
  readonly scriptBytes: number
  readonly scripts: number
  /** Its form or heading is there; what it lists may still be loaded. */
  readonly shownMs: number
  readonly interactiveMs: number
}

async function measure(
  browser: Browser,
  opening: Opening,
  { rounds, say }: Bench,
): Promise<Line[]> {
  await open(browser, opening)
  const opened: Opened[] = []
  for (let i = 0; i < rounds; i++) {
    const now = await open(browser, opening)
    say(
      `${opening.name}: ${now.scriptBytes} bytes of script, interactive in ${ms(now.interactiveMs)}`,
    )
    opened.push(now)
  }
  const bytes = Math.max(...opened.map(({ scriptBytes }) => scriptBytes))
  const times = opened.map(({ interactiveMs }) => interactiveMs)
  const shown = median(opened.map(({ shownMs }) => shownMs))
  const empty = { peer: '', ratio: '', scatter: null, rounds: null }
  return [
    {
      ...empty,
      path: `first page (${opening.name}): compressed script`,
      ours: `${(bytes / 1000).toFixed(1)} kB`,
      aim: `≤ ${MAX_SCRIPT_BYTES / 1000} kB`,
      reached: bytes <= MAX_SCRIPT_BYTES,
      note: `as transferred, headers included, ${opened[0]?.scripts} files, with an empty cache`,
    },
    {
      ...empty,
      path: `first page (${opening.name}): interactive, CPU slowed ${SLOWED} times`,
      ours: ms(median(times)),
      aim: `< ${MAX_INTERACTIVE_MS} ms`,
      reached: median(times) < MAX_INTERACTIVE_MS,
      note: `median of ${rounds}, from ${ms(Math.min(...times))} to ${ms(Math.max(...times))}: from the navigation until the content with its data is there and the last task of more than 50 ms has ended; without its data after ${ms(shown)}`,
    },
  ]
}

async function open(browser: Browser, { url, cookie, content }: Opening): Promise<Opened> {
  const context = await browser.newContext()
  try {
    if (cookie !== null) {
      const [name = '', value = ''] = cookie.split('=')
      await context.addCookies([{ name, value, url }])
    }
    const page = await context.newPage()
    await page.addInitScript({ content: watchFor(content) })
    const devtools = await context.newCDPSession(page)
    const scripts = await countScripts(devtools)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
    await page.goto(url)
    // Nothing is asked of the page meanwhile: to compile and run a question would be part of its time.
    await page.waitForTimeout(LEFT_ALONE_MS)
    return { ...(await timesOf(page)), ...scripts() }
  } finally {
    await context.close()
  }
}

/** Of every script that is loaded from now on. */
async function countScripts(
  devtools: CDPSession,
): Promise<() => { readonly scriptBytes: number; readonly scripts: number }> {
  const requests = new Set<string>()
  let scriptBytes = 0
  devtools.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') requests.add(requestId)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (requests.has(requestId)) scriptBytes += encodedDataLength
  })
  await devtools.send('Network.enable')
  return () => ({ scriptBytes, scripts: requests.size })
}

interface Watched {
  readonly shownAt: number | null
  readonly readyAt: number | null
  readonly busyUntil: number
}

async function timesOf(page: Page): Promise<Pick<Opened, 'shownMs' | 'interactiveMs'>> {
  const { shownAt, readyAt, busyUntil } = await page.evaluate<Watched>('globalThis.benchWatch')
  if (shownAt === null || readyAt === null) throw new Error('the content was not seen')
  return { shownMs: shownAt, interactiveMs: Math.max(readyAt, busyUntil) }
}

/** In the page, before its own scripts. */
const watchFor = (content: string): string => `{
  const seen = { shownAt: null, readyAt: null, busyUntil: 0 }
  globalThis.benchWatch = seen
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      seen.busyUntil = Math.max(seen.busyUntil, startTime + duration)
    }
  }).observe({ type: 'longtask', buffered: true })
  new MutationObserver(() => {
    if (document.querySelector(${JSON.stringify(content)}) === null) return
    seen.shownAt ??= performance.now()
    if (document.querySelector('[data-loading]') === null) seen.readyAt ??= performance.now()
  }).observe(document, { childList: true, subtree: true })
}`
