// Which test files share a process, and in which order they run: the longest first, because what is begun
// late runs alone at the end. How long each took is kept from run to run; before the first run, where it is
// says enough.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

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

/** A file that takes longer has a process of its own, and a process with several takes about so long. */
const ALONE_SECONDS = 20
const MOST_SECONDS = 40
const MOST_FILES = 16
/** Of the folder below which files import much the same: `apps/server/src/modules`. */
const SHARED_DEPTH = 4

/**
 * Each is run in one process. A test of the server spends two seconds of a processor on loading it, so that
 * files of one part of the code share a process. What starts whole installations does not.
 */
export function batchesOf(files: readonly string[], seconds: Seconds): string[][] {
  const of = (path: string): number => seconds[path] ?? expectedSeconds(path)
  const open = new Map<string, { files: string[]; seconds: number }>()
  const batches: { files: string[]; seconds: number }[] = []
  for (const path of files) {
    const isAlone = path.startsWith('tests/') || of(path) > ALONE_SECONDS
    const part = dirname(path).split('/').slice(0, SHARED_DEPTH).join('/')
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

/** Whole installations and browsers take longest, then what has a database; more text is more to do. */
function expectedSeconds(path: string): number {
  const kilobytes = statSync(path).size / 1000
  if (path.startsWith('tests/')) return 30 + 3 * kilobytes
  return path.endsWith('.db.test.ts') ? 5 + kilobytes : kilobytes / 2
}
