// Runs tests: `node tools/test.ts [files or globs]`, all of them by default. One PostgreSQL is started
// for the run, where a test needs one, and its template database is migrated once; every test file
// clones its own from it.
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../apps/server/embedded-postgres/postgres.ts'
import { migrate } from '../apps/server/src/infra/database/migrations.ts'
import { isAlive } from '../apps/server/src/infra/process/processes.ts'
import { TEMPLATE } from '../apps/server/src/infra/testing/database.ts'
import { runFiles } from './test-files.ts'

const ROOT = join(import.meta.dirname, '..')
const ALL = ['{apps,packages,tests,tools}/**/*.test.ts']
/**
 * Of one test or hook: it ends what hangs. The longest takes 90 s on a quiet machine, and three times as long
 * on a busy one. `npm run soak:faults` allows longer ones.
 */
const TEST_TIMEOUT_SECONDS = Number(process.env.TEST_TIMEOUT_SECONDS ?? 600)
/**
 * Every file is a process, and many start several more. Without compiled code that is kept between them, a
 * process that loads the server spends 0.75 s of CPU on its start; with it, 0.42 s.
 */
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/compiled')

process.chdir(ROOT)
const files = findFiles(process.argv.slice(2))
if (files.length === 0) {
  console.error(`No test file matches ${process.argv.slice(2).join(' ') || ALL.join(' ')}.`)
  process.exit(1)
}
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())

process.env.NODE_COMPILE_CACHE = COMPILE_CACHE
process.env.TEST_TIMEOUT_SECONDS = String(TEST_TIMEOUT_SECONDS)
const database = files.some(needsDatabase) ? await startDatabase() : null
if (database) process.env.TEST_POSTGRES_URL = database.url
let passed = false
try {
  passed = await runFiles(files, {
    root: ROOT,
    timeoutMs: TEST_TIMEOUT_SECONDS * 1000,
    signal: stop.signal,
  })
} finally {
  await database?.stop()
}
process.exit(stop.signal.aborted ? 130 : passed ? 0 : 1)

function findFiles(patterns: readonly string[]): string[] {
  const wanted = patterns.length > 0 ? patterns : ALL
  const exclude = (path: string): boolean => path.includes('node_modules')
  return [...new Set(globSync(wanted, { exclude }))].filter((path) => path.endsWith('.ts')).sort()
}

function needsDatabase(path: string): boolean {
  const isAcrossModules = path.startsWith('tests/')
  return (
    isAcrossModules ||
    path.endsWith('.db.test.ts') ||
    readFileSync(path, 'utf8').includes('testDatabase')
  )
}

async function startDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  await sweep()
  const folder = join(tmpdir(), `tradepost-test-${process.pid}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const postgres = await startPostgres({ folder, maxConnections: 200, sharedBuffersMb: 128 })
  const stop = async (): Promise<void> => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    await client.query(`create database ${TEMPLATE}`)
    await client.end()
    await migrate(postgres.urlOf(TEMPLATE))
    return { url: postgres.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Stops and removes the servers of runs that were killed. */
async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(/^tradepost-test-(\d+)$/.exec(name)?.[1])
    if (!pid || isAlive(pid)) continue
    const folder = join(tmpdir(), name)
    try {
      const left = await startPostgres({ folder })
      await left.stop()
    } catch {
      // Broken beyond starting: nothing runs there, so it can go.
    }
    rmSync(folder, { recursive: true, force: true })
  }
}
