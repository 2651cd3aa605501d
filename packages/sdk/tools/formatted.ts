// Text as the repository's formatter would leave it.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

export const formatted = (path: string, text: string): string =>
  execFileSync(
    join(ROOT, 'node_modules/.bin/biome'),
    ['check', '--write', `--stdin-file-path=${path}`],
    { cwd: ROOT, input: text, encoding: 'utf8', stdio: ['pipe', 'pipe', 'inherit'] },
  )
