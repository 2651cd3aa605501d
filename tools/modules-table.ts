// Writes the table of modules in ARCHITECTURE.md from module-arrows.ts; with --check it only reports
// whether the table is fresh.
import { readOrNull, replaceRegion, writeOrCheck } from './generated.ts'
import { moduleArrows, moduleSubjects } from './module-arrows.ts'

const PAGE = 'ARCHITECTURE.md'

writeOrCheck({
  path: PAGE,
  content: replaceRegion(readOrNull(PAGE) ?? '', 'modules', table()),
  command: 'node tools/modules-table.ts',
})

function table(): string {
  const rows = Object.entries(moduleArrows).map(([name, arrows]) => {
    const known = Object.keys(arrows)
    const subject = moduleSubjects[name as keyof typeof moduleSubjects]
    return `| \`${name}\` | ${subject} | ${known.join(', ') || '–'} |`
  })
  return ['| Module | Is about | Knows |', '|---|---|---|', ...rows].join('\n')
}
