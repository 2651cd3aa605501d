// The pages of the dashboard: bundled when their sources have changed since the last time, which takes about
// a second. A machine without the bundler serves what was built before, or no pages, and says so.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Log } from '#infra/process/log'
import { Refusal } from '#kernel/refusal'
import type { ApiInterface } from '../shared/api-interface.ts'
import { isPrepared, type PagesDeps, prepareFiles } from '../shared/pages.ts'
import type { DashboardPrincipal } from './dashboard-interface.ts'
import type { DashboardCaller } from './operation.ts'

const APP = join(import.meta.dirname, '../../../../../dashboard')
const BUILT = join(APP, 'dist')
const STAMP = '.stamp'
/** What is written beside the bundler’s files. */
const PREPARATION = join(import.meta.dirname, '../shared/pages.ts')
const BUILD_TIMEOUT_MS = 120_000

/** How the pages in `folder` are served; null without one. */
export const dashboardPages = (
  folder: string | null,
  { authenticate }: Pick<ApiInterface<DashboardPrincipal, DashboardCaller>, 'authenticate'>,
): PagesDeps | null =>
  folder === null
    ? null
    : {
        ...{ base: '/dashboard', interfacePrefix: '/dashboard/api', folder },
        isAnonymous: async (request) => {
          try {
            await authenticate(request, null)
            return false
          } catch (error) {
            // Whatever else it is, a database that is away included, the page finds out by itself.
            return error instanceof Refusal && OF_NO_SESSION.includes(error.key)
          }
        },
      }
const OF_NO_SESSION: readonly string[] = ['UNAUTHENTICATED', 'SESSION_EXPIRED']

/** The folder to serve; null when there is none. */
export async function prepareDashboardPages(log: Log): Promise<string | null> {
  const stamp = stampOf()
  if (existsSync(join(BUILT, STAMP)) && readFileSync(join(BUILT, STAMP), 'utf8') === stamp) {
    return BUILT
  }
  try {
    await build(stamp)
    return BUILT
  } catch (error) {
    const isThere = isPrepared(BUILT)
    log.error({ err: error, servesOlder: isThere }, 'the pages of the dashboard cannot be built')
    return isThere ? BUILT : null
  }
}

/**
 * Into a folder of its own, which then takes the place of the last one: several processes may start at
 * once.
 */
async function build(stamp: string): Promise<void> {
  const fresh = join(APP, `dist.${process.pid}`)
  const vite = join(
    dirname(createRequire(join(APP, 'package.json')).resolve('vite/package.json')),
    'bin/vite.js',
  )
  try {
    const options = ['build', '--outDir', fresh, '--logLevel', 'error']
    await promisify(execFile)(process.execPath, [vite, ...options], {
      ...{ cwd: APP, timeout: BUILD_TIMEOUT_MS },
    })
    await prepareFiles(fresh)
    writeFileSync(join(fresh, STAMP), stamp)
    const old = join(APP, `dist.old.${process.pid}`)
    mkdirSync(BUILT, { recursive: true })
    renameSync(BUILT, old)
    renameSync(fresh, BUILT)
    rmSync(old, { recursive: true, force: true })
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/**
 * Of every source, of what it takes from other packages, and of what is written beside the bundler’s files.
 */
function stampOf(): string {
  const hash = createHash('sha256').update(readFileSync(PREPARATION))
  const files = [
    'index.html',
    'package.json',
    'vite.config.mjs',
    '../../packages/contract/src/countries.ts',
    '../../packages/contract/src/market-names.ts',
    '../../packages/contract/src/patterns.ts',
    '../../packages/contract/src/payout-batch-csv.ts',
    '../../packages/contract/src/picture-name.ts',
    '../../packages/contract/src/scopes.ts',
    '../../packages/contract/src/trade-failures.ts',
    '../../packages/look/look.css',
    '../../packages/look/icon.svg',
    ...below('src'),
    ...below('public'),
  ]
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(APP, file)))
  return hash.digest('hex')
}

const below = (folder: string): string[] =>
  readdirSync(join(APP, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(APP.length + 1))
