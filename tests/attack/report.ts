// docs/attack.md: what the last attack was and what it found.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Counts, countsText } from '../support/long-run.ts'
import { ALLOWANCE_MS, type Latencies, LEAST_SAMPLES, MOST_OF_ALL_TENANTS_MS } from './latency.ts'
import type { Measured } from './neighbour.ts'

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
  readonly neighbour: { readonly buys: number; readonly refused: Counts }
  /** Requests to the hostile endpoints by what they did to them. */
  readonly endpoint: Counts
  /** Shown by suppliers. */
  readonly faults: number
  /** Reconciliation cases. */
  readonly cases: number
  /** How long after the attack everything had ended. */
  readonly endedInMs: number
}

const FILE = join(import.meta.dirname, '../../docs/attack.md')

export function writeReport(report: AttackReport): void {
  writeFileSync(FILE, pageOf(report))
}

function pageOf(report: AttackReport): string {
  const { found, loads, neighbour, latencies } = report
  const sorted = loads.toSorted((left, right) => left - right)
  const load = (share: number): string =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  return `# The last attack

<!-- Made by \`npm run attack -- --write\`. -->

\`npm run attack -- --minutes 60 --write\` starts an api process and a worker process as the quick start for production does, with PostgreSQL, the sandbox and one node, and attacks them. \`--seed\` throws the same dice again; what they meet depends on the machine. Phases with an attack take turns with phases without one through the whole run.

A **hostile merchant** with ${report.trades.toLocaleString('en')} trades from before sends random requests of every route of both documents, made from their schemas; races buys, cancels, quick-buys, funds, defunds, suspensions and deletions of one sub-user under the same external ids and keys; reads what is dear to read; opens, misuses, holds and leaves WebSockets and long polls; sends bytes that are no request, and holds connections by the hundred; lets its users sell everything several times at once and not answer the offers; uses one deposit quote several times, pays orders in part, too much and after their end, and writes notices of its own; withdraws under one reference with several amounts, to addresses of ours, approved by a callback that is silent, late, endless or redirecting; guesses the password of another merchant's login, searches, and loads exports that it does not read; and changes its endpoint and secrets while events leave. **Five more merchants** fill what may wait at the markets with quick-buys and buys of ten cheap items, cancel all of it, and begin again, beside preflights for ever new recipients. **A hostile partner** asks for one child, transfer, order and withdrawal many times at once, and for money that is not there. **The operators of their endpoints** never answer, answer late or without end, redirect, cut, and send what is not HTTP. **The suppliers**, two markets, the platform, the payment gateway, the card on-ramp and the node, show every fault of the sandbox during each attack.

In the phase “one merchant” the hostile merchant does all of this at once; in “all tenants” the five others and the partner do their worst at the same time.

The **neighbour**, another merchant, reads and buys beside them all the time. The run fails on an answer outside the envelope or its documented shape, on a 500, on an error that the service logs as unhandled, on a trade, sell, deposit, transfer, withdrawal or posting made twice, on more credited than was paid, on an item refunded and delivered without a case, on a withdrawal paid and refunded, on a difference between chain and books, on books that do not balance (looked at after each phase, and all of them in the end), on a redirect that is followed, on a buy of the neighbour that does not end or an event of it that does not arrive, on an unexplained case, and when a 99th percentile of the neighbour's reads or buys, of one kind of phase over the whole run, is more than ${ALLOWANCE_MS} ms above twice that of the phases without an attack, where it has ${LEAST_SAMPLES} samples or more. That bound is for one hostile tenant, whatever it does. Seven together ask for more than two cores can do beside the attackers themselves: for them the bound is ${MOST_OF_ALL_TENANTS_MS} ms. The ${ALLOWANCE_MS} ms are for what is not so in production: database, api and worker share the cores of one machine, and attackers and suppliers run on them. ${weightText(report.isWeighted)} The last table shows how late the neighbour's own timers were for want of a core. ${limitsText(report.limits)}

| | |
|---|---|
| Run | ${report.at.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${report.minutes} minutes, seed ${report.seed} |
| Load average of the machine | ${load(0)} to ${load(1)}, ${load(0.5)} in the middle |
| Buys of the neighbour | accepted ${neighbour.buys}; refused: ${countsText(neighbour.refused)} |
| Hostile endpoints | ${countsText(report.endpoint)} |
| Faults of suppliers | ${report.faults}, with ${report.cases} cases for an operator |
| Everything had ended after | ${Math.round(report.endedInMs / 1000)} s |
| Found | ${found.length === 0 ? 'nothing' : found.length} |
${found.map((text) => `\n- \`${text.split('\n')[0]}\``).join('')}

${tableOf('Reads of the neighbour', latencies, 'reads')}

${tableOf('Buys of the neighbour, until they were answered', latencies, 'buys')}

${tableOf('How late timers of the neighbour were', latencies, 'timers')}

## Answers to the attackers

| | |
|---|---|
${[...report.counts]
  .sort(([left], [right]) => left.localeCompare(right))
  .map(([name, count]) => `| ${name} | ${count} |`)
  .join('\n')}
`
}

const weightText = (isWeighted: boolean): string =>
  isWeighted
    ? 'Attackers and suppliers run while nothing else wants a core; api and database go before the worker, as their units in [scaling-out.md](scaling-out.md) say; and so does the neighbour, which has a machine of its own in production.'
    : 'Attackers and suppliers have the least weight there is, and everything else has the same, unlike what the units in [scaling-out.md](scaling-out.md) say: it takes root to change that.'

const limitsText = (limits: number): string =>
  limits === 1
    ? 'Each attacker has the limits of the highest tier, as the neighbour has; with `--limits 10` most requests reach their aim.'
    : `Each attacker has ${limits} times the limits of the highest tier, so that most requests reach their aim. All of it at once is then more work than two cores can do; the tables show these phases without judging them, which \`--limits 1\` does.`

const tableOf = (title: string, latencies: Latencies, what: Measured): string => `## ${title}

| Milliseconds during | Samples | p50 | p95 | p99 |
|---|---|---|---|---|
${latencies[what].map(({ name, count, p50, p95, p99 }) => `| ${name} | ${count} | ${p50} | ${p95} | ${p99} |`).join('\n')}`
