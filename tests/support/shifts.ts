// What moves on a page after it was shown, as browsers measure it (https://web.dev/articles/cls): the share
// of the window that moved, times how far.
import type { Page } from 'playwright-core'

/** A tenth of what counts as good: below it, no one who reads would notice. */
const MOST = 0.01
/** What comes after the content, such as a chart that measures its frame. */
const SETTLE_MS = 300

/** Of every page that is opened from now on. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript({ content: WATCH })
}

const WATCH = `{
  const seen = { score: 0, moved: [] }
  globalThis.layoutShifts = seen
  const nameOf = (node) => {
    const element = node?.nodeType === 1 ? node : node?.parentElement
    return element ? element.tagName.toLowerCase() + '.' + element.className : 'what is gone'
  }
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      seen.score += value
      for (const { node } of sources) seen.moved.push(nameOf(node))
    }
  }).observe({ type: 'layout-shift', buffered: true })
}`

interface Shifts {
  readonly score: number
  readonly moved: readonly string[]
}

/** What is wrong with the page that is shown. */
export async function shiftsOf(page: Page): Promise<string[]> {
  await page.waitForTimeout(SETTLE_MS)
  const { score, moved } = await page.evaluate<Shifts>('globalThis.layoutShifts')
  if (score <= MOST) return []
  return [`layout shift ${score.toFixed(3)} of ${[...new Set(moved)].join(', ')}`]
}
