// Runs test files, each in a process of its own, and reports a file when it has ended. Three run at once: two
// that work fill two cores, and one that mostly waits (for holds, leases, restarts) needs less than half of
// one. When those are done, the third works as well, because all of them wait at times.
import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const WORKING_AT_ONCE = 2
const WAITING_AT_ONCE = 1

/** Files that use less than 0.6 of a core, measured one by one; longest first. */
export const WAITING: readonly string[] = [
  'tests/faults/pause.test.ts',
  'tests/e2e/state-machine.test.ts',
  'apps/server/src/adapters/conformance/sandbox.db.test.ts',
  'tests/e2e/partner.test.ts',
  'tests/e2e/reconciliation.test.ts',
  'tests/e2e/offer-ids.test.ts',
  'tests/webhooks/isolation.db.test.ts',
  'tests/e2e/processes.test.ts',
  'tests/e2e/events.test.ts',
  'tests/e2e/deposits.test.ts',
  'tests/e2e/cancel-budget.test.ts',
  'tests/browser/docs.test.ts',
]

/** The longest of the others, longest first: begun late, one would run alone at the end. */
export const LONG: readonly string[] = [
  'tests/browser/every-page.db.test.ts',
  'tests/faults/kill.test.ts',
  'tests/browser/dashboard.db.test.ts',
  'tests/browser/journeys.test.ts',
  'tests/e2e/guides.test.ts',
  'packages/cli/src/e2e.db.test.ts',
  'tests/live/convergence.test.ts',
  'tests/cluster/cluster.test.ts',
  'tests/browser/merchant-pages.db.test.ts',
  'tests/e2e/sell.test.ts',
  'apps/server/src/main/all-in-one.test.ts',
  'tests/e2e/chain-deposit.test.ts',
  'tests/faults/restore.test.ts',
  'tests/browser/people.db.test.ts',
  'tests/e2e/purchase.test.ts',
  'tests/model/closing.test.ts',
  'tests/model/model.test.ts',
  'tests/e2e/quick-start.test.ts',
  'tests/e2e/attacks.test.ts',
  'tests/e2e/cancel.test.ts',
  'tests/e2e/hostile-input.test.ts',
  'tests/e2e/operator.db.test.ts',
  'tests/e2e/quick-buy.test.ts',
  'tests/e2e/payouts.test.ts',
  'tests/cluster/sockets.test.ts',
]

export interface RunOptions {
  readonly root: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Returns whether every test of every file has passed. */
export async function runFiles(
  files: readonly string[],
  { root, timeoutMs, signal }: RunOptions,
): Promise<boolean> {
  const startedAt = performance.now()
  const reporter = new spec()
  reporter.pipe(process.stdout)
  const results: Result[] = []
  const lane = async (...queues: string[][]): Promise<void> => {
    for (;;) {
      const file = queues.find(({ length }) => length > 0)?.shift()
      if (file === undefined || signal.aborted) return
      const events: TestEvent[] = []
      // The events of one file stay together. A file that runs alone is shown as it goes.
      const note = (event: TestEvent): unknown =>
        files.length === 1 ? reporter.write(event) : events.push(event)
      results.push(await runFile(resolve(root, file), { timeoutMs, signal }, note))
      for (const event of events) reporter.write(event)
    }
  }
  const { waiting, working } = queuesOf(files)
  await Promise.all([
    ...Array.from({ length: WORKING_AT_ONCE }, () => lane(working, waiting)),
    ...Array.from({ length: WAITING_AT_ONCE }, () => lane(waiting, working)),
  ])
  for (const message of totalsOf(results, performance.now() - startedAt)) {
    reporter.write({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } })
  }
  await new Promise((resolve) => {
    reporter.once('end', resolve)
    reporter.end()
  })
  if (results.length >= MIN_FILES_OF_A_TABLE) process.stdout.write(tableOf(results, root))
  return results.length === files.length && results.every(({ success }) => success)
}

interface TestEvent {
  readonly type: string
  readonly data: { readonly nesting?: number; readonly message?: string }
}

interface Summary {
  readonly counts: Readonly<Record<(typeof COUNTS)[number], number>>
  readonly duration_ms: number
  readonly success: boolean
}

interface Result extends Summary {
  readonly path: string
}

function queuesOf(files: readonly string[]): { waiting: string[]; working: string[] } {
  const isWaiting = new Set(WAITING)
  const rankOf = new Map([...WAITING, ...LONG].map((path, rank) => [path, rank]))
  const rank = (path: string): number => rankOf.get(path) ?? rankOf.size
  const sorted = files.toSorted((a, b) => rank(a) - rank(b))
  return {
    waiting: sorted.filter((path) => isWaiting.has(path)),
    working: sorted.filter((path) => !isWaiting.has(path)),
  }
}

async function runFile(
  path: string,
  { timeoutMs, signal }: Pick<RunOptions, 'timeoutMs' | 'signal'>,
  note: (event: TestEvent) => unknown,
): Promise<Result> {
  let summary: Summary | undefined
  for await (const event of run({ files: [path], concurrency: 1, timeout: timeoutMs, signal })) {
    if (event.type === 'test:summary' && event.data.file === undefined) summary = event.data
    else if (!isTotal(event)) note(event)
  }
  return { path, ...(summary ?? { ...NOTHING, success: false }) }
}

const COUNTS = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const
/** As the runner's own reports name them. */
const SHOWN_AS: Readonly<Record<string, string>> = { passed: 'pass', failed: 'fail' }
const NOTHING = {
  counts: { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 },
  duration_ms: 0,
}

/** The runner reports the totals of each file; the totals of all files are reported once. */
const isTotal = ({ type, data }: TestEvent): boolean =>
  type === 'test:diagnostic' &&
  data.nesting === 0 &&
  /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(data.message ?? '')

function totalsOf(results: readonly Result[], tookMs: number): string[] {
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

function tableOf(results: readonly Result[], root: string): string {
  const seconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(7)
  const sum = results.reduce((total, { duration_ms }) => total + duration_ms, 0)
  const rows = results
    .toSorted((a, b) => b.duration_ms - a.duration_ms)
    .slice(0, ROWS_OF_A_TABLE)
    .map(({ path, duration_ms }) => `${seconds(duration_ms)} s  ${relative(root, path)}`)
  return `\nThe slowest of ${results.length} files, which took ${Math.round(sum / 1000)} s together:\n${rows.join('\n')}\n`
}
