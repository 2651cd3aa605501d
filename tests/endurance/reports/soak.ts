// What the last soak was and how it ended.
import { minuteText, runTable, writeEvidence } from '../../support/evidence.ts'
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
  readonly faults: { readonly shown: number; readonly kinds: number; readonly all: number }
  readonly kills: Counts
  readonly drained: number
  readonly endedInMs: number
  readonly ends: Counts
  readonly events: number
  readonly cases: readonly Explained[]
}

export function writeReport(report: Report): void {
  const { at, minutes, seed, load, faults, cases, drained } = report
  const left = cases.map(({ kind, open, cleared }) => `${kind} ${open} + ${cleared}`)
  const rows = [
    [
      'Run',
      `${minuteText(at)}, ${minutes} minutes, seed ${seed}, load average ${load.toFixed(1)} at the end`,
    ],
    ['Requests', countsText(report.requests)],
    ['Refused with', countsText(report.refusals)],
    ['Cancels', countsText(report.cancels)],
    ['Faults', `${faults.shown}, ${faults.kinds} of the ${faults.all} kinds`],
    [
      'Kills -9',
      `${countsText(report.kills)}; drained with exit code 0 in the end: ${drained} processes`,
    ],
    ['Items by their end', countsText(report.ends)],
    ['Last trade ended', `${Math.round(report.endedInMs / 1000)} s after the faults were over`],
    ['Events', `${report.events}, all delivered`],
    ['Cases, open and cleared, each explained', left.join(', ')],
  ] as const
  writeEvidence('soak', runTable(rows))
}
