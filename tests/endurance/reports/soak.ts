// What the last soak was and how it ended.
import { minuteText, writeEvidence } from '../../support/evidence.ts'
import { type Counts, countsText } from '../../support/long-run.ts'
import type { Explained } from '../judge/cases.ts'

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

export function writeReport(report: Report): void {
  const { troubles, cases } = report
  writeEvidence('soak', [
    '| | |',
    '|---|---|',
    `| Run | ${minuteText(report.at)}, ${report.minutes} minutes, seed ${report.seed}, load average ${report.load.toFixed(1)} at the end |`,
    `| Requests | ${countsText(report.requests)} |`,
    `| Refused with | ${countsText(report.refusals)} |`,
    `| Cancels | ${countsText(report.cancels)} |`,
    `| Troubles | ${troubles.said}, ${troubles.kinds} of the ${troubles.all} kinds |`,
    `| Kills -9 | ${countsText(report.kills)}; drained with exit code 0 in the end: ${report.drained} processes |`,
    `| Items by their end | ${countsText(report.ends)} |`,
    `| Last trade ended | ${Math.round(report.endedInMs / 1000)} s after the troubles were over |`,
    `| Events | ${report.events}, all delivered |`,
    `| Cases, open and cleared, each explained | ${cases.map(({ kind, open, cleared }) => `${kind} ${open} + ${cleared}`).join(', ')} |`,
  ])
}
