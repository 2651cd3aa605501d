// Writes the table of modules in ARCHITECTURE.md from module-arrows.ts; with --check it only reports
// whether the table is fresh.
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readOrNull, replaceRegion, writeOrCheck } from './generated.ts'
import { moduleArrows, moduleSubjects } from './module-arrows.ts'

const PAGE = 'ARCHITECTURE.md'
const ROOT = join(import.meta.dirname, '..')
const MODULES = 'apps/server/src/modules'

writeOrCheck({
  path: PAGE,
  content: replaceRegion(readOrNull(PAGE) ?? '', 'modules', table()),
  command: 'node tools/modules-table.ts',
})

function table(): string {
  const folders = globSync('*/*', { cwd: join(ROOT, MODULES) })
  const rows = Object.entries(moduleArrows).map(([name, arrows]) => {
    const known = Object.keys(arrows)
    const subject = moduleSubjects[name as keyof typeof moduleSubjects]
    const folder = folders.find((path) => basename(path) === name)
    return `| \`${folder}\` | ${subject} | ${known.join(', ') || '–'} |`
  })
  return ['| Module, in `src/modules/` | Is about | Knows |', '|---|---|---|', ...rows].join('\n')
}
