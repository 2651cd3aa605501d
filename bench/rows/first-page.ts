// The first page of the dashboard in Chromium with an empty cache and a CPU slowed four times (CDP): for a
// caller without a session the log-in form, for a person with a session the overview. How many bytes of
// script it loads, and when it is interactive: its content is there with its data, and no task of more than
// 50 ms follows.
import { setTimeout } from 'node:timers/promises'
import { type Chromium, startChromium } from '../chromium.ts'
import { median } from '../rounds.ts'
import { inBrowserOf } from './in-browser.ts'
import { type Bench, type Line, ms, type RunRow } from './row.ts'

const SLOWED = 4
const MAX_SCRIPT_BYTES = 180_000
const MAX_INTERACTIVE_MS = 1000
/** Until an empty tab has nothing left to do. */
const SETTLED_MS = 3000
/** Far longer than it takes, and what still comes after the content: its tasks count. */
const LEFT_ALONE_MS = 4000

interface Opening {
  readonly name: string
  readonly url: string
  /** Null: an anonymous caller. */
  readonly cookie: string | null
  /** Is there when the page is. */
  readonly content: string
}

export const runFirstPage: RunRow = (bench) =>
  inBrowserOf(startChromium, { bench, name: 'bench_first_page' }, async ({ browser, place }) => {
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

async function measure(
  chromium: Chromium,
  opening: Opening,
  { rounds, say }: Bench,
): Promise<Line[]> {
  const { scripts, bytes } = await scriptsOf(chromium, opening)
  say(`${opening.name}: ${bytes} bytes of script in ${scripts} files`)
  const opened: Opened[] = []
  for (let i = 0; i < rounds; i++) {
    const now = await timesOf(chromium, opening)
    say(`${opening.name}: interactive in ${ms(now.interactiveMs)}`)
    opened.push(now)
  }
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
      note: `as transferred, headers included, ${scripts} files, with an empty cache`,
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

/** In an opening of its own: a page that reports its requests is a slower one. */
async function scriptsOf(
  chromium: Chromium,
  opening: Opening,
): Promise<{ readonly scripts: number; readonly bytes: number }> {
  const page = await chromium.openPage(opening)
  try {
    const requests = new Set<unknown>()
    let bytes = 0
    page.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') requests.add(requestId)
    })
    page.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (requests.has(requestId)) bytes += Number(encodedDataLength)
    })
    await page.send('Network.enable')
    await page.send('Page.navigate', { url: opening.url })
    await setTimeout(LEFT_ALONE_MS)
    return { scripts: requests.size, bytes }
  } finally {
    await page.close()
  }
}

interface Opened {
  /** Its form or heading is there; what it lists may still be loaded. */
  readonly shownMs: number
  readonly interactiveMs: number
}

async function timesOf(chromium: Chromium, opening: Opening): Promise<Opened> {
  const page = await chromium.openPage(opening)
  try {
    const source = watchFor(opening.content)
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source })
    // The tab is open before, as a person's is.
    await setTimeout(SETTLED_MS)
    await page.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
    await page.send('Page.navigate', { url: opening.url })
    // Nothing is asked of the page meanwhile: to compile and run a question would be part of its time.
    await setTimeout(LEFT_ALONE_MS)
    const { result } = await page.send<{ result: { value: Watched } }>('Runtime.evaluate', {
      ...{ expression: 'benchWatch', returnByValue: true },
    })
    const { shownAt, readyAt, busyUntil } = result.value
    if (shownAt === null || readyAt === null) throw new Error('the content was not seen')
    return { shownMs: shownAt, interactiveMs: Math.max(readyAt, busyUntil) }
  } finally {
    await page.close()
  }
}

interface Watched {
  readonly shownAt: number | null
  readonly readyAt: number | null
  readonly busyUntil: number
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
