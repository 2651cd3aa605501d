// Runs test files in processes of their own, and reports a process when it has ended. One for each processor
// runs at once, and one more whenever the processors had too little to do, because a file may wait for holds,
// leases and restarts for most of its time.
import { cpus } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { setTimeout as sleep } from 'node:timers/promises'
import { idleShare, processorTimes, secondsOfEnded } from './figures.ts'
import { batchesOf, type Seconds, sharesStack } from './order.ts'

export interface RunOptions {
  readonly root: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** How long files took before. */
  readonly seconds: Seconds
  /** As many files as that, where no more have failed, run once more when all others have ended. */
  readonly again?: number
}

export interface RunResult {
  /** Whether every test of every file has passed, or did when its file ran once more. */
  readonly hasPassed: boolean
  readonly seconds: Seconds
}

export async function runFiles(
  files: readonly string[],
  { root, timeoutMs, signal, seconds, again = 0 }: RunOptions,
): Promise<RunResult> {
  const startedAt = performance.now()
  const timesBefore = processorTimes()
  const reporter = new spec()
  reporter.pipe(process.stdout)
  // A report that is read no further must not hold up the end of the run.
  process.stdout.once('error', () => reporter.unpipe().resume())
  const results: Summary[] = []
  const failed: string[] = []
  const took = new Map<string, number>()
  const computed = new Map<string, number>()
  let ended = secondsOfEnded()
  const runOne = async (batch: readonly string[]): Promise<Summary> => {
    const events: TestEvent[] = []
    // The events of one process stay together. A file that runs alone is shown as it goes.
    const note = (event: TestEvent): unknown =>
      files.length === 1 ? reporter.write(event) : events.push(event)
    const result = await runBatch(batch, { root, timeoutMs, signal }, note)
    const before = ended
    ended = secondsOfEnded()
    computed.set(nameOf(root, batch), ended - before)
    for (const event of events) reporter.write(event)
    if (isGroup(batch)) for (const [file, ms] of durationsOf(events)) took.set(file, ms)
    else took.set(nameOf(root, batch), result.duration_ms)
    if (!result.success) failed.push(...failedOf(batch, events))
    return result
  }
  const running = new Set<Promise<void>>()
  const batches = batchesOf(files, seconds)
  for (const batch of batches) {
    await untilOneMayStart(running, signal)
    if (signal.aborted) break
    const run = runOne(batch)
      .then((result) => void results.push(result))
      .finally(() => running.delete(run))
    running.add(run)
  }
  await Promise.all(running)
  let hasPassed = results.length === batches.length && results.every(({ success }) => success)
  const unsteady = failed.splice(0)
  if (!hasPassed && !signal.aborted && unsteady.length <= again) {
    for (const path of unsteady) await runOne([path])
    hasPassed = results.length === batches.length && failed.length === 0
  }
  for (const message of totalsOf(results, performance.now() - startedAt)) {
    reporter.write({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } })
  }
  await new Promise((resolve) => {
    reporter.once('end', resolve)
    reporter.end()
  })
  if (took.size >= MIN_FILES_OF_A_TABLE) {
    process.stdout.write(slowestOf(took))
    process.stdout.write(busiestOf(computed, idleShare(timesBefore, processorTimes())))
  }
  if (hasPassed) process.stdout.write(unsteadyOf(unsteady))
  return {
    hasPassed,
    seconds: Object.fromEntries([...took].map(([path, ms]) => [path, ms / 1000])),
  }
}

const LOOK_MS = 1000
/** Files that wait for most of their time, for each processor. */
const MOST_FOR_EACH = 4
const ENOUGH_IDLE = 0.15

async function untilOneMayStart(
  running: ReadonlySet<Promise<void>>,
  signal: AbortSignal,
): Promise<void> {
  const processors = cpus().length
  while (!signal.aborted && running.size >= processors) {
    const before = processorTimes()
    const looked = sleep(LOOK_MS, true, { ref: false })
    const hasEnded = !(await Promise.race([looked, ...running]))
    if (hasEnded || running.size >= MOST_FOR_EACH * processors) continue
    if (idleShare(before, processorTimes()) > ENOUGH_IDLE) return
  }
}

interface TestEvent {
  readonly type: string
  readonly data: {
    readonly nesting?: number
    readonly message?: string
    readonly name?: string
    readonly details?: { readonly duration_ms: number }
  }
}

interface Summary {
  readonly counts: Readonly<Record<(typeof COUNTS)[number], number>>
  readonly duration_ms: number
  readonly success: boolean
}

const GROUP = join(import.meta.dirname, 'group.ts')

function nameOf(root: string, batch: readonly string[]): string {
  const first = relative(root, batch[0] ?? '')
  return batch.length === 1 ? first : `${first} and ${batch.length - 1} more in its process`
}

/** What shares an installation ends it with its group, also where it is the only file of it. */
const isGroup = (batch: readonly string[]): boolean => batch.length > 1 || batch.some(sharesStack)

async function runBatch(
  batch: readonly string[],
  { root, timeoutMs, signal }: Pick<RunOptions, 'root' | 'timeoutMs' | 'signal'>,
  note: (event: TestEvent) => unknown,
): Promise<Summary> {
  const what = isGroup(batch)
    ? { files: [GROUP], argv: [...batch] }
    : { files: batch.map((path) => resolve(root, path)) }
  let summary: Summary = NOTHING
  for await (const event of run({ ...what, concurrency: 1, timeout: timeoutMs, signal })) {
    if (event.type === 'test:summary' && event.data.file === undefined) summary = event.data
    else if (!isTotal(event)) note(event)
  }
  return summary
}

/** Of a group, in which each file is a suite of its path. */
const durationsOf = (events: readonly TestEvent[]): (readonly [path: string, ms: number])[] =>
  events.flatMap(({ type, data: { nesting, name, details } }) =>
    (type === 'test:pass' || type === 'test:fail') && nesting === 0 && name && details
      ? [[name, details.duration_ms] as const]
      : [],
  )

/** The files of a batch that failed; of a group whose process ended, all of them. */
function failedOf(batch: readonly string[], events: readonly TestEvent[]): readonly string[] {
  const named = events.flatMap(({ type, data: { nesting, name } }) =>
    type === 'test:fail' && nesting === 0 && name && batch.includes(name) ? [name] : [],
  )
  return isGroup(batch) && named.length > 0 ? named : batch
}

const unsteadyOf = (paths: readonly string[]): string =>
  paths
    .map(
      (path) => `\nUNSTEADY: ${path} failed, and passed when it ran once more. Find its cause.\n`,
    )
    .join('')

const COUNTS = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const
/** As the runner's own reports name them. */
const SHOWN_AS: Readonly<Record<string, string>> = { passed: 'pass', failed: 'fail' }
const NOTHING: Summary = {
  success: false,
  counts: { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 },
  duration_ms: 0,
}

/** The runner reports the totals of each file; the totals of all files are reported once. */
const isTotal = ({ type, data }: TestEvent): boolean =>
  type === 'test:diagnostic' &&
  data.nesting === 0 &&
  /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(data.message ?? '')

function totalsOf(results: readonly Summary[], tookMs: number): string[] {
  const sumOf = (name: (typeof COUNTS)[number]): number =>
    results.reduce((sum, { counts }) => sum + counts[name], 0)
  return [
    ...COUNTS.map((name) => `${SHOWN_AS[name] ?? name} ${sumOf(name)}`),
    `duration_ms ${Math.round(tookMs)}`,
  ]
}

const ROWS_OF_A_TABLE = 20
/** A run of a few files needs no table. */
const MIN_FILES_OF_A_TABLE = 5

function slowestOf(took: ReadonlyMap<string, number>): string {
  const seconds = [...took].map(([path, ms]) => [path, ms / 1000] as const)
  return tableOf(
    `The slowest of ${took.size} files, which took ${sumOf(seconds)} s together`,
    seconds,
  )
}

/** Of the processes of the run; the database is not one of them. */
function busiestOf(computed: ReadonlyMap<string, number>, idle: number): string {
  const seconds = [...computed].filter(([, seconds]) => seconds > 0)
  const share = `The processors were idle for ${Math.round(idle * 100)}% of the run`
  if (seconds.length === 0) return `\n${share}.\n`
  return tableOf(`${share}. Its processes took ${sumOf(seconds)} s of them; most took`, seconds)
}

type Row = readonly [name: string, seconds: number]

const sumOf = (rows: readonly Row[]): number =>
  Math.round(rows.reduce((sum, [, seconds]) => sum + seconds, 0))

function tableOf(title: string, rows: readonly Row[]): string {
  const lines = rows
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, ROWS_OF_A_TABLE)
    .map(([name, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${name}`)
  return `\n${title}:\n${lines.join('\n')}\n`
}
