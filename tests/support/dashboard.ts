// The dashboard's pages in a browser: logging in, and what is looked at on each page.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, type TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import {
  type DashboardServer,
  PASSWORD,
  startDashboardServer,
} from '../../apps/server/src/edges/http/testing/dashboard-server.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { assertDefined } from '../../apps/server/src/kernel/assert.ts'
import { launch, noBrowser, open, overflowOf, type Watched } from './browser.ts'
import { filled, MARKUP, SILENT } from './pages.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Dashboard {
  readonly database: TestDatabase
  readonly server: DashboardServer
  readonly browser: Browser
}

/**
 * A database, the dashboard with its pages, and a browser, for all tests of a file, which read them; `seed`
 * is called once before them.
 */
export function givenDashboard(
  seed: (dashboard: Dashboard) => Promise<void> = async () => {},
): Dashboard {
  let started: Dashboard | null = null
  before(async () => {
    if (noBrowser) return
    const database = await testDatabase()
    const server = await startDashboardServer(database.db, { hasPages: true })
    started = { database, server, browser: await launch() }
    await seed(started)
  })
  after(async () => {
    await started?.browser.close()
    await started?.server.close()
    await started?.database.close()
  })
  const of = (): Dashboard => assertDefined(started, 'the dashboard, before the tests of its file')
  return {
    get database() {
      return of().database
    },
    get server() {
      return of().server
    },
    get browser() {
      return of().browser
    },
  }
}

/** As the browser names it: passkeys and cookies belong to `localhost`. */
export const pagesOf = ({ url }: DashboardServer): string =>
  `${url.replace('127.0.0.1', 'localhost')}/dashboard`

/** Fills the log-in form, which is shown or about to be, and sends it. */
export async function giveLogin(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

/** Closes the dialog that shows a secret once: it asks first while the secret was not copied. */
export async function closeSecret(dialog: Locator): Promise<void> {
  // Beside it a dialog may have a command to copy.
  await dialog.getByRole('button', { name: /^Copy (?!the command$)/ }).click()
  await dialog.getByRole('button', { name: 'Copied' }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
}

/** On the page of endpoints. */
export async function addEndpoint(page: Page, url: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add an endpoint' }).click()
  await dialog.getByLabel('URL', { exact: true }).fill(url)
  await dialog.getByRole('button', { name: 'Add an endpoint' }).click()
  await dialog.getByText('export TRADEPOST_WEBHOOK_SECRET=').waitFor()
  await closeSecret(dialog)
}

/** A browser of its own, logged in. */
export async function logInTo(
  t: TestContext,
  {
    server,
    browser,
    email,
    options,
  }: {
    readonly server: DashboardServer
    readonly browser: Browser
    readonly email: string
    readonly options?: BrowserContextOptions
  },
): Promise<Watched> {
  server.nextMinute()
  const watched = await open(t, { browser, url: pagesOf(server), ...(options && { options }) })
  const { page } = watched
  await giveLogin(page, email)
  await page.locator('main#content').waitFor()
  return watched
}

/**
 * What axe finds in the light theme, or in both, as `rule: selector`. Themes differ in nothing but
 * colours.
 */
export async function violations(
  page: Page,
  { isDarkToo }: { readonly isDarkToo: boolean },
): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.evaluate(AXE)
  const inLight = await page.evaluate<string[]>(`axe.run(${ONLY_VIOLATIONS}).then(${NAMES})`)
  if (!isDarkToo) return inLight
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const inDark = await page.evaluate<string[]>(
    `axe.run({ ...${ONLY_VIOLATIONS}, runOnly: ['color-contrast'] }).then(${NAMES})`,
  )
  return [...inLight, ...inDark.map((name) => `dark ${name}`)]
}

/** The nodes of passed rules are not described, which takes as long as the rules themselves. */
const ONLY_VIOLATIONS = "{ resultTypes: ['violations'] }"

const NAMES = `({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target))`

/** The heading is there, and nothing is still being loaded. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  // Not `waitForFunction`: it evaluates text, which the policy of the pages forbids.
  await page.locator('[data-loading]').first().waitFor({ state: 'detached' })
}

/** What a text became that was not shown as text. */
const INJECTED = 'img[src="x"], script:not([src]), [onerror], a[href^="javascript:"]'

/**
 * Texts that turn others around: a character that steers and is not shown as its escape, or letters written
 * from right to left that stand in no <bdi> of their own.
 */
const TURNING = `(() => {
  const steering = /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066\\u2067]/
  const found = [...document.querySelectorAll('[title], [aria-label]')]
    .flatMap((one) => [one.title, one.ariaLabel])
    .filter((text) => steering.test(text ?? ''))
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { data, parentElement } = node
    const isApart = parentElement.closest('bdi, script') || data.includes('\\u2068')
    if (steering.test(data) || (/[\\u0590-\\u08ff]/.test(data) && !isApart)) found.push(data)
  }
  return found.map((text) => JSON.stringify(text.slice(0, 80)))
})()`

/**
 * Opens each path of `PAGES` and judges it: axe in both themes, no wider than its window, nothing on
 * the console, hostile text as text, with no element made of it and nothing turned around by it. Returns
 * what is wrong.
 */
export async function judgePages(
  watched: Watched,
  {
    base,
    paths,
    ids,
  }: {
    readonly base: string
    readonly paths: readonly string[]
    readonly ids: Readonly<Record<string, string>>
  },
): Promise<string[]> {
  const { page } = watched
  // The colours of a page are the same on a wide screen: there, the frame alone is another one.
  const isNarrow = (page.viewportSize()?.width ?? 0) < 900
  const found: string[] = []
  for (const [i, path] of paths.entries()) {
    await page.goto(`${base}/${filled(path, ids)}`)
    await settled(page)
    const injected = await page.locator(INJECTED).count()
    const turning = await page.evaluate<string[]>(TURNING)
    const isShown = (await page.locator('body').innerText()).includes(MARKUP)
    const problems = [
      ...(await problemsOf(watched, { isDarkToo: isNarrow || i === 0 })),
      ...(injected > 0 ? ['it made an element of a text'] : []),
      ...turning.map((text) => `it is turned around by ${text}`),
      ...(isShown || SILENT.has(path) ? [] : ['hostile text is not shown']),
    ]
    found.push(...problems.map((problem) => `${path}: ${problem.slice(0, 400)}`))
  }
  return found
}

/**
 * What is wrong with the page that is shown, whatever it is about: axe, its width, what came on the console
 * and went to other origins since the last call.
 */
export async function problemsOf(
  { page, foreignRequests, errors }: Watched,
  themes: { readonly isDarkToo: boolean },
): Promise<string[]> {
  return [
    ...(await violations(page, themes)),
    ...((await overflowOf(page)) > 0 ? ['it is wider than its window'] : []),
    ...faultsOf({ errors: errors.splice(0) }),
    ...foreignRequests.splice(0),
  ]
}

/** Errors that the page itself did not ask for: a refused login is no fault of the page. */
export const faultsOf = ({ errors }: Pick<Watched, 'errors'>): string[] =>
  errors.filter((text) => !/Failed to load resource: .* (?:401|403|422)/.test(text))
