// What the last soak of money was and how it ended.

import { minuteText, runTable, writeEvidence } from '../../support/evidence.ts'
import { type Counts, countsText, tally } from '../../support/long-run.ts'
import type { Kind } from '../faults/killer.ts'
import type { Verdict } from '../judge/money.ts'

/** A process that was ended, and what was under way right after. */
export interface Kill {
  readonly kind: Kind
  /** Transfers that were seen and not credited. */
  readonly deposits: number
  readonly withdrawals: number
}

export interface Report {
  readonly at: Date
  readonly seed: number
  readonly seconds: number
  /** The machine's load average at the end. */
  readonly load: number
  readonly kills: readonly Kill[]
  readonly faults: Counts
  readonly traffic: Counts
  readonly endedInMs: number
  readonly verdict: Verdict
}

export function writeReport(report: Report): void {
  const { at, seconds, seed, load, kills, verdict } = report
  const rows = [
    [
      'Run',
      `${minuteText(at)}, ${seconds} s, seed ${seed}, load average ${load.toFixed(1)} at the end`,
    ],
    ['Kills -9', `${kills.length}: ${countsText(countKinds(kills))}`],
    ['Under way at a kill', underWayText(kills)],
    ['Faults', inOrder(report.faults)],
    ['Attempted', inOrder(report.traffic)],
    [
      'Credited',
      `${verdict.credited} transfers and ${verdict.refills} refills of wallets; ${verdict.orders} paid orders, all completed`,
    ],
    ['Withdrawals', inOrder(verdict.ends)],
    ['Transactions of ours', `${verdict.transactions}, with ${verdict.attempts} attempts`],
    ['Last one ended', `${Math.round(report.endedInMs / 1000)} s after the faults were over`],
    ['Events', `${verdict.events}, all delivered`],
  ] as const
  writeEvidence('soak of money', runTable(rows))
}

const inOrder = (counts: Counts): string =>
  countsText(new Map([...counts].sort(([left], [right]) => left.localeCompare(right))))

export const countKinds = (kills: readonly Kill[]): Counts => tally(kills.map(({ kind }) => kind))

/** The least, the median and the most of each. */
export function underWayText(kills: readonly Kill[]): string {
  const spread = (counts: readonly number[]): string => {
    const sorted = [...counts].sort((left, right) => left - right)
    return `${sorted[0]} / ${sorted[Math.floor(sorted.length / 2)]} / ${sorted.at(-1)}`
  }
  if (kills.length === 0) return 'nothing was killed'
  const deposits = spread(kills.map((one) => one.deposits))
  const withdrawals = spread(kills.map((one) => one.withdrawals))
  return `deposits ${deposits}, withdrawals ${withdrawals} (least / median / most)`
}
