// docs/soak-money.md: what the last run was and how it ended.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind } from '../../faults/killer.ts'
import type { Counts } from '../../support/long-run.ts'
import type { Verdict } from './judge.ts'
import { CHAINS, CONFIRMATIONS, DEEPEST_REORG } from './stack.ts'

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

const FILE = join(import.meta.dirname, '../../../docs/soak-money.md')

export function writeReport(report: Report): void {
  writeFileSync(FILE, pageOf(report))
}

function pageOf(report: Report): string {
  const { verdict } = report
  return `# The last soak of money in and out

<!-- Made by \`npm run soak:money -- --write\`. -->

\`npm run soak:money\` runs two api processes, two workers, the signer as a program of its own, PostgreSQL and the sandbox with a real node for each of ${CHAINS.join(', ')}. Users deposit by chain, gateway and card, a merchant fills its payout custody and withdraws, deposits are swept and wallets refilled. Meanwhile workers, apis, signer, nodes and PostgreSQL are killed -9 at random moments, each time with deposits and withdrawals under way (a kill without them does not count), and between two kills something else goes wrong: blocks are replaced (up to ${DEEPEST_REORG}, of ${CONFIRMATIONS} that count as final) and their transfers are gone, moved or spent twice; nodes are away, lag, repeat or hide their logs, drop answers and swallow what they are sent; providers and prices are away.

Afterwards the chains are read again without the service, and the run fails unless

- every canonical transfer to one of our addresses is credited exactly once, with the cents of its units and rate, and nothing else is credited (I1);
- every order that was paid at a provider is completed with what its quote promised, and every wallet is the sum of its deposits;
- every withdrawal is confirmed and its destination was paid once on the chain, or refunded and its destination got nothing; nothing is in flight; what the merchant rejected was refunded (I2);
- every transaction of ours has exactly one mined attempt (I3), the nonces of every wallet are contiguous and are those of the chain (I4);
- what our addresses hold on each chain is what the books say, and covers what is owed (I5);
- every cursor is at a canonical block (I6), every final state has its event once, and every event was delivered (I7);
- \`npm run audit:books\` finds nothing, no wallet is halted and no case is open.

\`--seed\` throws the same dice again; what they meet depends on the machine. \`--kills\` sets how many. About ten minutes.

| | |
|---|---|
| Run | ${report.at.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${report.seconds} s, seed ${report.seed} |
| Machine | load average ${report.load.toFixed(1)} at the end |
| Kills -9 | ${report.kills.length}: ${countsText(countKinds(report.kills))} |
| Under way at a kill | ${underWayText(report.kills)} |
| Troubles | ${countsText(report.troubles)} |
| Attempted | ${countsText(report.traffic)} |
| Credited transfers | ${verdict.credited}, and ${verdict.refills} refills of wallets |
| Paid orders | ${verdict.orders}, all completed |
| Withdrawals | ${countsText(verdict.ends)} |
| Transactions of ours | ${verdict.transactions}, with ${verdict.attempts} attempts |
| Last one ended | ${Math.round(report.endedInMs / 1000)} s after the troubles were over |
| Events | ${verdict.events}, all delivered |
`
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
