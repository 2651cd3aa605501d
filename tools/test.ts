// `npm test`: runs the test files that are named, or all. One PostgreSQL is started for the run, where a test
// needs one, and its template database is migrated once; every test file clones its own from it.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from './git.ts'
import { readOptions } from './options.ts'
import { changedPaths, testsOf } from './tests/changed.ts'
import { keepDatabase, type RunDatabase, startDatabase, stopLeft } from './tests/database.ts'
import { keepSeconds, readSeconds, recordSeconds } from './tests/order.ts'
import { buildPrograms } from './tests/programs.ts'
import { runFiles } from './tests/run.ts'
import { openScratch } from './tests/scratch.ts'

const ROOT = join(import.meta.dirname, '..')
const CACHE = join(ROOT, 'node_modules/.cache')
const ALL = ['{apps,packages,tests,tools}/**/*.test.ts']
/** `npm run test:long`: each waits for a minute or more. By name they are run here, too. */
const LONG = 'tests/endurance/long/'
/**
 * Of one test or hook: it ends what hangs. The longest takes 90 s on a quiet machine, and three times as long
 * on a busy one. `npm run soak:faults` allows longer ones.
 */
const TEST_TIMEOUT_SECONDS = Number(process.env.TEST_TIMEOUT_SECONDS ?? 600)
/**
 * Every file is a process, and many start several more. Without compiled code that is kept between them, a
 * process that loads the server spends 0.75 s of CPU on its start; with it, 0.42 s.
 */
const COMPILE_CACHE = join(CACHE, 'compiled')
/** Of fewer files, the sources themselves are started: their lines are those of an error. */
const LEAST_FILES_OF_A_BUILD = 10
const SECONDS = join(CACHE, 'test-seconds.json')
const RECORD = join(import.meta.dirname, 'tests/seconds.json')
/** A fault of the product fails in more files, or again. What passes then is named at the end of the run. */
const MOST_AGAIN = 2

const { values, rest } = readOptions({
  name: 'npm test',
  about: 'Runs these test files, or all.',
  rest: '[file or glob …]',
  options: {
    changed: { kind: 'flag', about: 'only what depends on a file that differs from main' },
    since: { kind: 'text', of: 'commit', about: 'only what depends on a file changed since' },
    again: {
      kind: 'flag',
      about: `runs what failed once more at the end, where no more than ${MOST_AGAIN} files did`,
    },
    record: {
      kind: 'flag',
      about: 'records how long the long files took, for machines on which none has run',
    },
    keep: { kind: 'flag', about: 'keeps the PostgreSQL, so that the next run starts at once' },
  },
})
process.chdir(ROOT)
const files = chooseFiles()
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())

process.env.NODE_COMPILE_CACHE = COMPILE_CACHE
process.env.TEST_TIMEOUT_SECONDS = String(TEST_TIMEOUT_SECONDS)
const scratch = await openScratch(stopLeft)
let database: RunDatabase | null = null
let hasPassed = false
try {
  if (files.some(needsDatabase)) database = await openDatabase()
  if (database) process.env.TEST_POSTGRES_URL = database.url
  if (files.length >= LEAST_FILES_OF_A_BUILD) {
    const programs = join(scratch.folder, 'programs')
    await buildPrograms(ROOT, programs)
    process.env.TEST_PROGRAMS = programs
  }
  const result = await runFiles(files, {
    root: ROOT,
    timeoutMs: TEST_TIMEOUT_SECONDS * 1000,
    signal: stop.signal,
    seconds: { ...readSeconds(RECORD), ...readSeconds(SECONDS) },
    again: values.again ? MOST_AGAIN : 0,
  })
  hasPassed = result.hasPassed
  keepSeconds(SECONDS, result.seconds)
  if (values.record) recordSeconds(ROOT, RECORD, result.seconds)
} finally {
  await database?.stop()
  scratch.close()
}
process.exit(stop.signal.aborted ? 130 : hasPassed ? 0 : 1)

function chooseFiles(): readonly string[] {
  const all = () => find(ALL).filter((path) => !path.startsWith(LONG))
  const named = rest.length > 0 ? find(rest).filter((path) => path.endsWith('.ts')) : all()
  if (named.length === 0) {
    console.error(`No test file matches ${rest.join(' ') || ALL.join(' ')}.`)
    process.exit(1)
  }
  if (!values.changed && values.since === undefined) return named
  const changed = changedPaths(ROOT, values.since)
  const chosen = testsOf(ROOT, { tests: named, files: listFiles(ROOT), changed })
  console.log(`${changed.length} files changed: ${chosen.length} of ${named.length} test files.`)
  if (chosen.length === 0) process.exit(0)
  return chosen
}

function find(patterns: readonly string[]): string[] {
  const exclude = (path: string): boolean => path.includes('node_modules')
  return [...new Set(globSync(patterns, { exclude }))].sort()
}

function needsDatabase(path: string): boolean {
  const isAcrossModules = path.startsWith('tests/')
  return (
    isAcrossModules ||
    path.endsWith('.db.test.ts') ||
    readFileSync(path, 'utf8').includes('testDatabase')
  )
}

function openDatabase(): Promise<RunDatabase> {
  return values.keep ? keepDatabase(join(CACHE, 'test-postgres')) : startDatabase(scratch.folder)
}
