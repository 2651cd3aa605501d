// Which test files share a process, and in which order they run: the longest first, because what is begun
// late runs alone at the end. How long each took is kept from run to run. Before the first run, as on a clean
// checkout, what is recorded beside this file counts, and for the rest where a file is.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Seconds = Readonly<Record<string, number>>

/** What is kept between runs; nothing before the first, or where the file was cut off. */
export function readSeconds(path: string): Seconds {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Seconds
  } catch {
    return {}
  }
}

export function keepSeconds(path: string, seconds: Seconds): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify({ ...readSeconds(path), ...seconds }, null, 1))
}

/**
 * Shorter files of one part of the code are begun late enough by their size; it says little of the others.
 */
const RECORDED_FROM_SECONDS = 10
const isRecorded = (file: string, seconds: number): boolean =>
  file.endsWith('.test.ts') && (seconds >= RECORDED_FROM_SECONDS || file.startsWith('tests/'))

/** Adds to the record, in whole seconds, what took long, and takes out what is shorter by now, or gone. */
export function recordSeconds(root: string, path: string, seconds: Seconds): void {
  const recorded = Object.entries({ ...readSeconds(path), ...seconds })
    .filter(([file, took]) => isRecorded(file, took))
    .filter(([file]) => existsSync(join(root, file)))
    .map(([file, took]) => [file, Math.max(1, Math.round(took))] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(recorded), null, 2)}\n`)
}

/** A file that takes longer has a process of its own, and a process with several takes about so long. */
const ALONE_SECONDS = 20
const MOST_SECONDS = 60
const MOST_FILES = 32
/** The folder below which files import much the same: `apps/server/src/modules`, `packages/sdk`. */
function partOf(path: string): string {
  const folders = dirname(path).split('/')
  return folders.slice(0, path.startsWith('apps/server/') ? 4 : 2).join('/')
}

/** What files import that share one installation, which starts once in a process. */
const SHARED_STACK = "support/shared-stack.ts'"

/**
 * Each is run in one process. A test of the server spends more than a second of a processor on loading it, so
 * that files of one part of the code share a process, and all files of a shared installation. What takes
 * long does not.
 */
export function batchesOf(
  files: readonly string[],
  seconds: Seconds,
  isSharing = sharesStack,
): string[][] {
  const of = (path: string): number => seconds[path] ?? expectedSeconds(path)
  const open = new Map<string, { files: string[]; seconds: number }>()
  const batches: { files: string[]; seconds: number }[] = []
  const sharing = files.filter(isSharing)
  if (sharing.length > 0) {
    batches.push({ files: sharing, seconds: sharing.reduce((sum, path) => sum + of(path), 0) })
  }
  for (const path of files) {
    if (sharing.includes(path)) continue
    const isAlone = of(path) > ALONE_SECONDS
    const part = partOf(path)
    const last = isAlone ? undefined : open.get(part)
    if (last && last.files.length < MOST_FILES && last.seconds + of(path) <= MOST_SECONDS) {
      last.files.push(path)
      last.seconds += of(path)
      continue
    }
    const batch = { files: [path], seconds: of(path) }
    batches.push(batch)
    if (!isAlone) open.set(part, batch)
  }
  return batches.sort((a, b) => b.seconds - a.seconds).map((batch) => batch.files)
}

export function sharesStack(path: string): boolean {
  return path.startsWith('tests/') && readFileSync(path, 'utf8').includes(SHARED_STACK)
}

/** Whole installations and browsers take longest, then what has a database; more text is more to do. */
function expectedSeconds(path: string): number {
  const kilobytes = statSync(path).size / 1000
  if (path.startsWith('tests/')) return 30 + 3 * kilobytes
  // A longer one would be in the record.
  return Math.min(
    RECORDED_FROM_SECONDS,
    path.endsWith('.db.test.ts') ? 3 + kilobytes / 4 : kilobytes / 4,
  )
}
