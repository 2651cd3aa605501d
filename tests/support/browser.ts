// A real browser, for pages: Debian's Chromium, moved by playwright-core, which brings none of its own. The
// one without windows opens the same pages for a quarter less of a processor.
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const CANDIDATES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const program = CANDIDATES.find((path) => path !== undefined && existsSync(path))

/** For a test's `skip`: false when there is a browser, else why the test cannot run here. */
export const noBrowser: string | false =
  program === undefined &&
  'no Chromium on this machine: install the package chromium-headless-shell'

/** A phone as most people hold it. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
}

/** The screen of a desk. */
export const WIDE: BrowserContextOptions = { viewport: { width: 1440, height: 900 } }

/** The program of this machine, and what it is started with on top of what its driver adds. */
export function chromiumHere(): { readonly program: string; readonly args: string[] } {
  if (program === undefined) throw new Error(String(noBrowser))
  // Chromium's own walls need rights that a container's root does not have.
  return { program, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] }
}

export function launch(): Promise<Browser> {
  const { program: executablePath, args } = chromiumHere()
  return chromium.launch({ executablePath, args })
}

/** A page, and everything that went wrong or out on it. */
export interface Watched {
  readonly page: Page
  /** Requests to any other origin than that of `url`. */
  readonly foreignRequests: string[]
  /** Errors on the console, uncaught ones, dialogs, and violations of the page's policy. */
  readonly errors: string[]
}

/** What a page belongs to: a test, or a program that closes its pages in the end. */
export interface Scope {
  after(close: () => Promise<void>): void
}

export async function open(
  scope: Scope,
  { browser, url, options }: { browser: Browser; url: string; options?: BrowserContextOptions },
): Promise<Watched> {
  // A browser with windows lets a click copy; this one would leave a question open.
  const context = await browser.newContext({ permissions: ['clipboard-write'], ...options })
  scope.after(() => context.close())
  const page = await context.newPage()
  const foreignRequests: string[] = []
  const errors: string[] = []
  const { origin } = new URL(url)
  page.on('request', (request) => {
    const requested = request.url()
    const isLocal = /^(data|blob|about):/.test(requested)
    if (!requested.startsWith(`${origin}/`) && !isLocal) foreignRequests.push(requested)
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('dialog', (dialog) => {
    errors.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  await page.goto(url)
  return { page, foreignRequests, errors }
}

/** A request that is held back, or whose answer is. */
export interface Held {
  /** Resolves when it is held. */
  readonly reached: Promise<void>
  release(): void
}

/** Of the next request to `url` holds `what` back until it is released. */
export async function hold(page: Page, url: string, what: 'request' | 'answer'): Promise<Held> {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const keep = (): Promise<void> => {
    reached.resolve()
    return released.promise
  }
  await page.route(
    url,
    async (route) => {
      if (what === 'request') {
        await keep()
        return route.continue()
      }
      const response = await route.fetch()
      await keep()
      return route.fulfill({ response })
    },
    { times: 1 },
  )
  return { reached: reached.promise, release: released.resolve }
}

/**
 * By how many pixels the page is wider than its window. A phone's browser zooms out to show all of a page
 * that is too wide, so the window's own idea of its width says nothing.
 */
export async function overflowOf(page: Page): Promise<number> {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  return width - (page.viewportSize()?.width ?? 0)
}
