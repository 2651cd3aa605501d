// Writes what a run found: bench/results.json for machines, bench/RESULTS.md for people. A run of some
// rows replaces those and keeps the others as they were measured.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MachineDetails } from './machine.ts'
import type { Line } from './rows/row.ts'

/** A file of the repository has the repository's format. */
const BIOME = join(import.meta.dirname, '../node_modules/.bin/biome')

export interface Results {
  readonly at: Date
  readonly machine: MachineDetails
  readonly loadBefore: readonly [number, number]
  readonly loadAfter: readonly [number, number]
  readonly rounds: number
  readonly rows: Readonly<Record<string, readonly Line[]>>
}

interface KeptRow extends Omit<Results, 'rows' | 'at'> {
  readonly at: string
  readonly lines: readonly Line[]
}
type Kept = Record<string, KeptRow>

export function writeResults(folder: string, { rows, at, ...details }: Results): void {
  const file = join(folder, 'results.json')
  const kept: Kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : {}
  for (const [name, lines] of Object.entries(rows)) {
    kept[name] = { at: at.toISOString(), ...details, lines }
  }
  writeFileSync(file, JSON.stringify(kept))
  execFileSync(BIOME, ['format', '--write', file], { stdio: 'ignore' })
  writeFileSync(join(folder, 'RESULTS.md'), pageOf(kept))
}

function pageOf(kept: Kept): string {
  const rows = Object.values(kept)
  const table = rows.flatMap(({ lines }) =>
    lines.map((line) =>
      cells([
        line.path,
        line.ours,
        line.peer,
        line.ratio,
        line.aim,
        line.reached ? 'yes' : '**no**',
      ]),
    ),
  )
  return [
    '# Results',
    '',
    'Written by `npm run bench`; how to read and repeat it is in [README.md](README.md), why an aim is not',
    'reached in [findings.md](findings.md). Medians of alternating rounds; peers ran in the same run on the',
    'same cores. The ratios count, not the figures. results.json has the CPU and the scatter of each row.',
    '',
    cells(['Path', 'Ours', 'Peer', 'Ratio', 'Aim', 'Reached']),
    cells(['---', '---', '---', '---', '---', '---']),
    ...table,
    '',
    '## Machine',
    '',
    cells(['Rows', 'When', 'Rounds', 'Load before (1, 5 min)', 'Load after', 'Machine']),
    cells(['---', '---', '---', '---', '---', '---']),
    ...machineLines(kept),
    '',
  ].join('\n')
}

/** One line for each run that rows come from. */
function machineLines(kept: Kept): string[] {
  const byRun = Map.groupBy(Object.entries(kept), ([, { at }]) => at)
  return [...byRun].map(([at, rows]) => {
    const [, first] = rows[0] as [string, KeptRow]
    const [, last] = rows.at(-1) as [string, KeptRow]
    const { cpu, cores, memoryGib, node, kernel } = first.machine
    return cells([
      rows.map(([name]) => name).join(', '),
      at.slice(0, 16).replace('T', ' '),
      String(first.rounds),
      first.loadBefore.join(', '),
      last.loadAfter.join(', '),
      `${cores} × ${cpu}, ${memoryGib} GiB, ${kernel}, Node ${node}`,
    ])
  })
}

const cells = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`
