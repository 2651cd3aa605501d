// Writes docs/configuration.md from the settings that main/settings.ts reads; with --check it only
// reports whether it is fresh.
import { SETTINGS } from '../apps/server/src/main/settings.ts'
import { writeOrCheck } from './generated.ts'

interface Setting {
  readonly about: string
  readonly secret?: boolean
  readonly fallback?: unknown
  readonly form?: string
}

const COMMAND = 'node tools/configuration-page.ts'

writeOrCheck({ path: 'docs/configuration.md', content: page(), command: COMMAND })

function page(): string {
  return [
    '# Configuration',
    '<!-- Made by tools/configuration-page.ts from apps/server/src/main/settings.ts. Edit there. -->',
    'Everything is set by environment variables, read once when a process starts. Invalid values ' +
      'end the process with exit code 1 and the names of their variables. An empty value counts as unset.',
    table(),
    'Variables marked *secret* are never printed. Each may also be given as a file: `<NAME>_FILE` is the ' +
      'path of a file that holds the value.',
    'Variables that begin with `SANDBOX_` are handed to the sandbox, which has ' +
      '[more of them](../apps/sandbox/README.md).',
  ]
    .join('\n\n')
    .concat('\n')
}

function table(): string {
  const rows = Object.entries<Setting>(SETTINGS).map(
    ([name, { about, secret, fallback, form = '' }]) =>
      `| \`${name}\` | ${shown(fallback)} | ${form} | ${about}${secret ? ' *Secret.*' : ''} |`,
  )
  return ['| Variable | Default | Values | What it is for |', '|---|---|---|---|', ...rows].join(
    '\n',
  )
}

function shown(fallback: unknown): string {
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return ''
  return `\`${fallback}\``
}
