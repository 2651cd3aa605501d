// docs/evidence.md: how the last run of each long command ended. A command writes its own region.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrNull, replaceRegion } from '../../tools/generated.ts'
import { ROOT } from './child.ts'

const PAGE = 'docs/evidence.md'

export function writeEvidence(
  region: 'mutations' | 'soak' | 'soak of money' | 'attack',
  lines: readonly string[],
): void {
  const text = replaceRegion(readOrNull(PAGE) ?? '', region, lines.join('\n'))
  writeFileSync(join(ROOT, PAGE), text)
}

/** A table of two columns: what, and how much of it. */
export const runTable = (
  rows: readonly (readonly [what: string, text: string])[],
): readonly string[] => [
  '| | |',
  '|---|---|',
  ...rows.map(([what, text]) => `| ${what} | ${text} |`),
]

export const minuteText = (at: Date): string =>
  `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
