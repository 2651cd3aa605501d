// Files that are made from code are committed, so that they can be read and reviewed; every tool that
// makes one also reports, with --check, whether the committed file is still what it would make.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

export interface GeneratedFile {
  /** Below the root of the repository. */
  readonly path: string
  readonly content: string
  /** What a reader runs to make it again. */
  readonly command: string
}

/** Writes the file, or with `--check` on the command line ends the process with 1 when it is stale. */
export function writeOrCheck({ path, content, command }: GeneratedFile): void {
  if (readOrNull(path) === content) return
  if (process.argv.includes('--check')) {
    console.error(`${path} is stale: run \`${command}\` and commit the result.`)
    process.exitCode = 1
    return
  }
  mkdirSync(dirname(join(ROOT, path)), { recursive: true })
  writeFileSync(join(ROOT, path), content)
}

/** The committed text of a generated file; null when there is none. */
export function readOrNull(path: string): string | null {
  try {
    return readFileSync(join(ROOT, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** `text` with what is between the two marks of `name` replaced. */
export function replaceRegion(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  const [before, rest] = text.split(begin)
  const [, after] = (rest ?? '').split(end)
  if (before === undefined || after === undefined) {
    throw new Error(`there is no region between ${begin} and ${end}`)
  }
  return `${before}${begin}\n\n${content.trim()}\n\n${end}${after}`
}
