// docs/soak.md: what the last soak was and how it ended.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Counts, countsText } from '../support/long-run.ts'
import type { Explained } from './cases.ts'

export interface Report {
  readonly at: Date
  readonly minutes: number
  readonly seed: number
  /** The machine's load average at the end. */
  readonly load: number
  readonly requests: Counts
  readonly refusals: Counts
  readonly cancels: Counts
  readonly troubles: { readonly said: number; readonly kinds: number; readonly all: number }
  readonly kills: Counts
  readonly drained: number
  readonly endedInMs: number
  readonly ends: Counts
  readonly events: number
  readonly cases: readonly Explained[]
}

const FILE = join(import.meta.dirname, '../../docs/soak.md')

export function writeReport(report: Report): void {
  writeFileSync(FILE, pageOf(report))
}

function pageOf(report: Report): string {
  const { troubles, cases } = report
  return `# The last soak

<!-- Made by \`npm run soak -- --write\`. -->

\`npm run soak -- --minutes 30 --write\` runs two api processes, two workers, PostgreSQL and the sandbox, lets users buy, quick-buy, cancel and sell, uses every fault word that the sandbox knows in turn (and switches each party off for a while), and kills processes and databases meanwhile. It fails unless in the end every process drained with exit code 0, every trade has ended, every acknowledged request has exactly one trade and every refused one none, the books are clean, every event was delivered, and every case is explained by something that was done to the party it is about. \`--seed\` throws the same dice again; what they meet depends on the machine.

| | |
|---|---|
| Run | ${report.at.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${report.minutes} minutes, seed ${report.seed} |
| Machine | load average ${report.load.toFixed(1)} at the end |
| Requests | ${countsText(report.requests)} |
| Refused with | ${countsText(report.refusals)} |
| Cancels | ${countsText(report.cancels)} |
| Troubles | ${troubles.said}, ${troubles.kinds} of the ${troubles.all} kinds |
| Kills -9 | ${countsText(report.kills)} |
| Drained with exit code 0 | ${report.drained} processes |
| Items by their end | ${countsText(report.ends)} |
| Last trade ended | ${Math.round(report.endedInMs / 1000)} s after the troubles were over |
| Events | ${report.events}, all delivered |
| Books | clean: the audits of ledger, trades and sells found nothing |

## Cases

| Kind | Open | Cleared by themselves | Explained by |
|---|---|---|---|
${cases.map(({ kind, open, cleared, why }) => `| ${kind} | ${open} | ${cleared} | ${why} |`).join('\n')}

None is unexplained: the soak fails when one is.
`
}
