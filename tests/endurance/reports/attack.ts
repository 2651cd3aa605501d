// What the last attack was and what it found.
import { minuteText, runTable, writeEvidence } from '../../support/evidence.ts'
import { type Counts, countsText } from '../../support/long-run.ts'
import type { Latencies, Percentiles } from '../judge/latency.ts'

export interface AttackReport {
  readonly at: Date
  readonly minutes: number
  readonly seed: number
  /** Of the first merchant, from before the attack. */
  readonly trades: number
  /** How many times the limits of the highest tier each attacker had. */
  readonly limits: number
  /** Processors were shared out as the units say. */
  readonly isWeighted: boolean
  /** The machine's load average after each phase. */
  readonly loads: readonly number[]
  readonly counts: Counts
  readonly found: readonly string[]
  readonly latencies: Latencies
  readonly otherTenant: { readonly buys: number; readonly refused: Counts }
  /** Requests to the hostile endpoints by what they did to them. */
  readonly endpoint: Counts
  /** Shown by suppliers. */
  readonly faults: number
  /** Reconciliation cases. */
  readonly cases: number
  /** How long after the attack everything had ended. */
  readonly endedInMs: number
}

export function writeReport(report: AttackReport): void {
  const { found, loads, otherTenant, latencies } = report
  const sorted = loads.toSorted((left, right) => left - right)
  const load = (share: number): string =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  const rows = [
    [
      'Run',
      `${minuteText(report.at)}, ${report.minutes} minutes, seed ${report.seed}, load average ${load(0)} to ${load(1)}, ${load(0.5)} in the middle`,
    ],
    [
      'Attackers',
      `${report.limits} times the limits of the highest tier; ${report.trades.toLocaleString('en')} trades from before; processors ${report.isWeighted ? 'shared out as the units say' : 'not shared out'}`,
    ],
    [
      'Buys of the other merchant',
      `accepted ${otherTenant.buys}; refused: ${countsText(otherTenant.refused)}`,
    ],
    ['Hostile endpoints', countsText(report.endpoint)],
    ['Faults of suppliers', `${report.faults}, with ${report.cases} cases for an operator`],
    ['Everything had ended after', `${Math.round(report.endedInMs / 1000)} s`],
    [
      'Found',
      found.length === 0 ? 'nothing' : found.map((text) => `\`${text.split('\n')[0]}\``).join(', '),
    ],
  ] as const
  writeEvidence('attack', [
    ...runTable(rows),
    '',
    'The other merchant, p50 / p95 / p99 in milliseconds, and of how many samples:',
    '',
    '| During | Reads | Buys | Its own timers, late by |',
    '|---|---|---|---|',
    ...latencies.reads.map(({ name }) => {
      const cells = (['reads', 'buys', 'timers'] as const).map((what) =>
        percentilesText(latencies[what].find((one) => one.name === name)),
      )
      return `| ${name} | ${cells.join(' | ')} |`
    }),
  ])
}

const percentilesText = (of: Percentiles | undefined): string =>
  of === undefined ? '' : `${of.p50} / ${of.p95} / ${of.p99} of ${of.count}`
