// In which order test files run: the longest first, because one that is begun late runs alone at the end. How
// long each took is kept from run to run; before the first run, where it is says enough.
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

export function longestFirst(files: readonly string[], seconds: Seconds): string[] {
  const expected = new Map(files.map((path) => [path, seconds[path] ?? expectedSeconds(path)]))
  const of = (path: string): number => expected.get(path) ?? 0
  return files.toSorted((a, b) => of(b) - of(a))
}

/** Whole installations and browsers take longest, then what has a database; more text is more to do. */
function expectedSeconds(path: string): number {
  const kilobytes = statSync(path).size / 1000
  if (path.startsWith('tests/')) return 30 + 3 * kilobytes
  return path.endsWith('.db.test.ts') ? 5 + kilobytes : kilobytes / 2
}
