// Writes docs/errors.md from the contract's catalogue; with --check it only tells whether the file is
// fresh.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ERRORS, errorsPage } from '@tradepost/contract'

const ROOT = join(import.meta.dirname, '..')
const COMMAND = 'node tools/errors-page.ts'

writeOrCheck(join(ROOT, 'docs/errors.md'), errorsPage(ERRORS), process.argv.includes('--check'))

function writeOrCheck(path: string, fresh: string, checkOnly: boolean): void {
  if (readOrNull(path) === fresh) return
  if (checkOnly) {
    console.error(`${relative(ROOT, path)} is stale: run \`${COMMAND}\` and commit the result.`)
    process.exit(1)
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, fresh)
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
