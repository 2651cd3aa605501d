// Writes docs/configuration.md from the settings that main/settings.ts reads; with --check it only
// reports whether it is fresh.
import type { Setting } from '../apps/server/src/main/setting-forms.ts'
import { SETTINGS } from '../apps/server/src/main/settings.ts'
import { writeOrCheck } from './generated.ts'

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
  const settings = SETTINGS.properties as Record<string, Setting<unknown>>
  const rows = Object.entries(settings).map(
    ([name, { description, secret, default: fallback, form = '' }]) =>
      `| \`${name}\` | ${shown(fallback)} | ${form} | ${description}${secret ? ' *Secret.*' : ''} |`,
  )
  return ['| Variable | Default | Values | What it is for |', '|---|---|---|---|', ...rows].join(
    '\n',
  )
}

function shown(fallback: unknown): string {
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return ''
  return `\`${fallback}\``
}
