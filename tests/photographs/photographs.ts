// `npm run photographs`: starts what `npm start` starts, on a data folder of its own, does some business as a
// merchant, a partner and an administrator, and opens every page of the dashboard on a phone and on a wide
// screen, in both themes. Each is photographed. It fails on what axe finds, on errors of the console, on
// requests to other origins, on a page that is wider than its window, on what moves after it was shown, and
// on a route that no walk opens.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { readOptions } from '../../tools/options.ts'
import { launch, open, PHONE, type Watched, WIDE } from '../support/browser.ts'
import { giveLogin, problemsOf, settled } from '../support/dashboard.ts'
import { closeOnSignal, createSay } from '../support/long-run.ts'
import { filled, findUnwalkedRoutes, PAGES } from '../support/pages.ts'
import { SMALL_DATASET } from '../support/sandbox.ts'
import { type Demo, newSecretsKey, readDemo, startServer } from '../support/server.ts'
import { shiftsOf, watchShifts } from '../support/shifts.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { CHAIN, doBusiness, type Ids } from './business.ts'

const { values } = readOptions({
  name: 'npm run photographs',
  about:
    'Opens every page of the dashboard on a phone and on a wide screen, in both themes, and photographs it.',
  options: {
    to: { kind: 'text', of: 'folder', about: 'where they go (a new temporary folder)' },
    only: { kind: 'text', of: 'path', about: 'the pages whose path contains this', byDefault: '' },
    pictures: {
      kind: 'flag',
      about: 'makes the pictures of the README and the documentation instead, in docs/pictures',
    },
  },
})
const folder = values.to
  ? resolve(values.to)
  : mkdtempSync(join(tmpdir(), 'tradepost-photographs-'))
mkdirSync(folder, { recursive: true })
const say = createSay()

const SCREENS: Readonly<Record<string, BrowserContextOptions>> = { phone: PHONE, wide: WIDE }

interface Walk {
  readonly who: string
  /** Null: an anonymous caller. */
  readonly person: Demo['admin'] | null
  readonly paths: readonly string[]
}

const walksOf = ({ merchant, partner, admin }: Demo): readonly Walk[] => [
  { who: 'anonymous', person: null, paths: PAGES.anonymous },
  {
    ...{ who: 'merchant', person: merchant },
    paths: [...PAGES.merchant, ...PAGES.money, ...PAGES.account],
  },
  {
    who: 'partner',
    person: partner,
    paths: [...PAGES.partner, 'deposits', 'webhook/deliveries', 'audit'],
  },
  { who: 'admin', person: admin, paths: PAGES.admin },
]

assert.deepEqual(findUnwalkedRoutes(), [], 'every route is in a walk')
const dataDir = mkdtempSync(join(tmpdir(), 'tradepost-data-'))
const closes: (() => Promise<void>)[] = []
const scope = { after: (close: () => Promise<void>): void => void closes.push(close) }
closeOnSignal(close)

async function close(): Promise<void> {
  for (const each of closes.splice(0).reverse()) await each()
  rmSync(dataDir, { recursive: true, force: true })
}

async function start(): Promise<{ readonly demo: Demo; readonly ids: Ids }> {
  const endpoint = await startReceiver()
  closes.push(() => endpoint.close())
  const server = await startServer('all-in-one', {
    ...SMALL_DATASET,
    ...{ DATA_DIR: dataDir, SECRETS_KEY: newSecretsKey(), SANDBOX_PORT: '0' },
    ...{ SANDBOX_CHAINS: CHAIN, PAYOUT_LIMIT_TRANSACTION_DOLLARS: '100' },
    ...{ WEBHOOK_URL: endpoint.url, PARTNER_WEBHOOK_URL: endpoint.url },
  })
  closes.push(async () => {
    const { code } = await server.end('SIGTERM')
    assert.equal(code, 0, server.said())
  })
  const demo = readDemo(dataDir)
  say(`the service runs at ${demo.baseUrl}`)
  const ids = await doBusiness(demo, endpoint)
  say('the business is done')
  return { demo, ids }
}

/** A browser in which this person is logged in. */
async function openAs(
  person: Walk['person'],
  {
    browser,
    demo,
    options,
  }: {
    readonly browser: Browser
    readonly demo: Demo
    readonly options: BrowserContextOptions
  },
): Promise<Watched> {
  const watched = await open(scope, { browser, url: `${demo.dashboardUrl}/login`, options })
  const { page } = watched
  if (person !== null) {
    await giveLogin(page, person.email, person.password)
    await page.locator('main#content').waitFor()
    await settled(page)
  }
  return watched
}

/** Opens the pages of one person on one screen; what is wrong with each. */
async function walk(
  { who, person, paths }: Walk,
  {
    browser,
    screen,
    demo,
    ids,
  }: { readonly browser: Browser; readonly screen: string; readonly demo: Demo; readonly ids: Ids },
): Promise<string[]> {
  const watched = await openAs(person, { browser, demo, options: SCREENS[screen] ?? {} })
  const { page } = watched
  await watchShifts(page)
  const found: string[] = []
  for (const path of paths) {
    if (!path.includes(values.only)) continue
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' })
    await page.goto(`${demo.dashboardUrl}/${filled(path, ids)}`)
    const problems = await photograph(watched, `${who}-${path}-${screen}`)
    found.push(...problems.map((problem) => `${who}, ${screen}, ${path}: ${problem}`))
  }
  say(`${who}, ${screen}: ${found.length} problems`)
  return found
}

const PICTURES = join(import.meta.dirname, '../../docs/pictures')
/** A merchant’s pages as a newcomer sees them before the product is installed: as much as a window shows. */
const SHOWN = [
  { name: 'market', path: 'market?view=grid' },
  { name: 'trades', path: 'trades' },
  { name: 'trade', path: 'trades/{trade}' },
  { name: 'overview', path: 'overview' },
]
const WINDOW = { viewport: { width: 1280, height: 800 } }

async function takePictures({
  browser,
  demo,
  ids,
}: {
  readonly browser: Browser
  readonly demo: Demo
  readonly ids: Ids
}): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  const { page } = await openAs(demo.merchant, { browser, demo, options: WINDOW })
  for (const { name, path } of SHOWN) {
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.goto(`${demo.dashboardUrl}/${filled(path, ids)}`)
      await settled(page)
      await withPictures(page)
      const file = join(PICTURES, `${name}-${theme}.jpg`)
      await page.screenshot({ path: file, type: 'jpeg', quality: 80 })
    }
    say(`${name} is taken`)
  }
}

async function photograph(watched: Watched, name: string): Promise<string[]> {
  const { page } = watched
  await settled(page)
  await withPictures(page)
  // Before the photograph, which makes the window as high as the page.
  const shifts = await shiftsOf(page)
  const file = name.replace(/[^\w-]+/g, '_')
  await page.screenshot({ path: join(folder, `${file}-light.png`), fullPage: true })
  // It ends in the dark theme.
  const problems = await problemsOf(watched, { isDarkToo: true })
  await page.screenshot({ path: join(folder, `${file}-dark.png`), fullPage: true })
  return [...shifts, ...problems]
}

const MISSING = `[...document.querySelectorAll('[data-waiting], [data-picture] img:not([data-there])')]
  .some(({ parentElement }) => parentElement.getBoundingClientRect().top < innerHeight)`

/** A worker fetches a picture when a page first asks for it. Those out of sight are not asked for. */
async function withPictures(page: Page): Promise<void> {
  const isMissing = () => page.evaluate<boolean>(MISSING)
  for (let look = 0; look < 40 && (await isMissing()); look++) {
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

const found: string[] = []
try {
  const { demo, ids } = await start()
  const browser = await launch()
  closes.push(() => browser.close())
  if (values.pictures) await takePictures({ browser, demo, ids })
  for (const each of values.pictures ? [] : walksOf(demo)) {
    for (const screen of Object.keys(SCREENS)) {
      found.push(...(await walk(each, { browser, screen, demo, ids })))
    }
  }
} finally {
  await close()
}
for (const problem of found) console.log(problem)
say(`${found.length} problems; the photographs are in ${values.pictures ? PICTURES : folder}`)
process.exitCode = found.length > 0 ? 1 : 0
