// The code of the guides. What a reader copies from a page, block after block, is one shell script and one
// program; `<!-- prints: /…/ -->` below a block says what they must print.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './child.ts'

const FOLDER = join(ROOT, 'docs/guides')

export interface Guide {
  readonly name: string
  /** All TypeScript of the page; empty when there is none. */
  readonly program: string
  /** All shell of the page but what installs, starts or sets up. */
  readonly script: string
  /** Calls that the service must refuse: each its own script. */
  readonly refused: readonly string[]
  /** Whole programs of other languages, each run where its language is installed. */
  readonly others: readonly { readonly language: string; readonly program: string }[]
  readonly prints: {
    readonly program: RegExp[]
    readonly script: RegExp[]
    readonly refused: RegExp[]
    readonly other: RegExp[]
  }
}

export const guides = (): Guide[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readGuide(name.replace(/\.md$/, ''), readFileSync(join(FOLDER, name), 'utf8')))

type Kind = 'program' | 'script' | 'refused' | 'other'

/** By the words after the fence. A word that is not here fails, so that no block is left out by a slip. */
const KINDS: Readonly<Record<string, Kind | null>> = {
  ts: 'program',
  sh: 'script',
  'sh refused': 'refused',
  'sh not-run': null,
  'python run': 'other',
  'php run': 'other',
  'go run': 'other',
  json: null,
  // Run by tests/webhooks/guide.test.ts, where their languages are installed.
  python: null,
  php: null,
  go: null,
}

export function readGuide(name: string, text: string): Guide {
  const code: Record<Exclude<Kind, 'other'>, string[]> = { program: [], script: [], refused: [] }
  const prints: Record<Kind, RegExp[]> = { program: [], script: [], refused: [], other: [] }
  const others: { language: string; program: string }[] = []
  let last: Kind | null = null
  const found = text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$|^<!-- prints: \/(.*)\/(m?) -->$/gm)
  for (const [, info, content = '', expected, flags] of found) {
    if (expected !== undefined) {
      if (last === null) throw new Error(`${name}: nothing above prints ${expected}`)
      prints[last].push(new RegExp(expected, flags))
      continue
    }
    const kind = KINDS[info ?? '']
    if (kind === undefined)
      throw new Error(`${name}: a block of "${info}" is neither run nor excused`)
    if (kind === 'other') others.push({ language: info?.split(' ')[0] ?? '', program: content })
    else if (kind !== null) code[kind].push(content)
    last = kind
  }
  return {
    name,
    program: code.program.join('\n'),
    script: code.script.join('\n'),
    refused: code.refused,
    others,
    prints,
  }
}
