// Checks the rules of style that neither compiler, linter nor walls can see. Prints each finding; exit code 1
// when there is one.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeRules } from './tidy/code-rules.ts'
import { houseRules } from './tidy/house-rules.ts'
import { describe, type Repository } from './tidy/repository.ts'

const ROOT = join(import.meta.dirname, '..')

const repository = readRepository()
for (const { name, find } of [...codeRules, ...houseRules]) {
  const findings = find(repository)
  if (findings.length === 0) continue
  process.exitCode = 1
  console.error(`Rule broken: ${name}.`)
  for (const finding of findings) console.error(`  ${describe(finding)}`)
}

/** What git knows, and what it would take in: not what is ignored, such as installed packages. */
function readRepository(): Repository {
  const list = [
    '-c',
    'safe.directory=*',
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
  ]
  const paths = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' })
  const files = new Map<string, string>()
  for (const path of paths.split('\0')) {
    const text = path === '' ? null : readText(path)
    if (text !== null) files.set(path, text)
  }
  return { files }
}

/** Null for what is no text, or was deleted but not yet committed so. */
function readText(path: string): string | null {
  try {
    const bytes = readFileSync(join(ROOT, path))
    return bytes.subarray(0, 8000).includes(0) ? '' : bytes.toString('utf8')
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}
