// Checks the rules of style that neither compiler, linter nor walls can see. Prints each finding; exit code 1
// when there is one.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from './git.ts'
import { codeRules } from './tidy/code-rules.ts'
import { houseRules } from './tidy/house-rules.ts'
import { lookRules } from './tidy/look-rules.ts'
import { describe, type Repository } from './tidy/repository.ts'

const ROOT = join(import.meta.dirname, '..')

const repository = readRepository()
for (const { name, find } of [...codeRules, ...houseRules, ...lookRules]) {
  const findings = find(repository)
  if (findings.length === 0) continue
  process.exitCode = 1
  console.error(`Rule broken: ${name}.`)
  for (const finding of findings) console.error(`  ${describe(finding)}`)
}

function readRepository(): Repository {
  const files = new Map<string, string>()
  for (const path of listFiles(ROOT)) {
    const text = readText(path)
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
