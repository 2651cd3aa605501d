// What the last soak of money was and how it ended.

import { minuteText, writeEvidence } from '../../support/evidence.ts'
import type { Counts } from '../../support/long-run.ts'
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
  readonly troubles: Counts
  readonly traffic: Counts
  readonly endedInMs: number
  readonly verdict: Verdict
}

export function writeReport(report: Report): void {
  const { kills, verdict } = report
  writeEvidence('soak of money', [
    '| | |',
    '|---|---|',
    `| Run | ${minuteText(report.at)}, ${report.seconds} s, seed ${report.seed}, load average ${report.load.toFixed(1)} at the end |`,
    `| Kills -9 | ${kills.length}: ${countsText(countKinds(kills))} |`,
    `| Under way at a kill | ${underWayText(kills)} |`,
    `| Troubles | ${countsText(report.troubles)} |`,
    `| Attempted | ${countsText(report.traffic)} |`,
    `| Credited | ${verdict.credited} transfers and ${verdict.refills} refills of wallets; ${verdict.orders} paid orders, all completed |`,
    `| Withdrawals | ${countsText(verdict.ends)} |`,
    `| Transactions of ours | ${verdict.transactions}, with ${verdict.attempts} attempts |`,
    `| Last one ended | ${Math.round(report.endedInMs / 1000)} s after the troubles were over |`,
    `| Events | ${verdict.events}, all delivered |`,
  ])
}

export const countKinds = (kills: readonly Kill[]): Counts =>
  new Map([...Map.groupBy(kills, ({ kind }) => kind)].map(([kind, group]) => [kind, group.length]))

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

const countsText = (counts: Counts): string =>
  [...counts]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
