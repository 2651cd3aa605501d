// Writes the table of controls in the sandbox's README from its control routes and the comment above each;
// with --check it only reports whether the table is fresh.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrNull, replaceRegion, writeOrCheck } from './generated.ts'

const PAGE = 'apps/sandbox/README.md'
const SOURCES = join(import.meta.dirname, '../apps/sandbox/src')
const FILES = [
  '**/*controls.ts',
  'control/index.ts',
  '{catalog-feed,chat,mail,notices}/index.ts',
  'mail/html.ts',
]
/** The helper of scripts registers two routes for each caller. */
const HELPER = 'party/script-controls.ts'

writeOrCheck({
  path: PAGE,
  content: replaceRegion(readOrNull(PAGE) ?? '', 'controls', table()),
  command: 'node tools/sandbox-controls.ts',
})

function table(): string {
  const rows = globSync(FILES, { cwd: SOURCES })
    .filter((file) => file !== HELPER)
    .sort()
    .flatMap((file) => routesOf(file, readFileSync(join(SOURCES, file), 'utf8')))
    .map(({ call, does }) => `| \`${call}\` | ${does} |`)
  return ['| Call, below `/control` | |', '|---|---|', ...rows].join('\n')
}

interface Route {
  readonly call: string
  readonly does: string
}

function routesOf(file: string, text: string): Route[] {
  const routes =
    /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n *)?(?:app\.(\w+)\(|serveFaultScript\(app, )\s*['`](\/[^'`]*)['`]/g
  return [...text.matchAll(routes)].map(([, comment, method, path = '']) => {
    if (comment === undefined) throw new Error(`${file}: ${path} has no comment for the table`)
    const does = comment.replace(/^\/\*\*|\*\/\s*$/g, '').replace(/\s*\n\s*\*?\s*/g, ' ')
    const named = path.replace(
      /\$\{(\w+)\}/g,
      (_, name: string) => `:${name === 'id' ? 'chain' : name}`,
    )
    return { call: `${method?.toUpperCase() ?? 'POST, DELETE'} ${named}`, does: does.trim() }
  })
}
