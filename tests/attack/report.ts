// docs/attack.md: what the last attack was and what it found.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Counts, countsText } from '../support/long-run.ts'
import type { Percentiles } from './neighbour.ts'

export interface AttackReport {
  readonly at: Date
  readonly minutes: number
  readonly seed: number
  /** The machine's load average at the end. */
  readonly load: number
  readonly counts: Counts
  readonly found: readonly string[]
  /** Reads of the other merchant, in milliseconds. */
  readonly reads: readonly ({ readonly name: string } & Percentiles)[]
  readonly neighbourTrades: number
  /** Deliveries to the hostile endpoint by what it did to them. */
  readonly endpoint: Counts
  readonly troubles: number
}

const FILE = join(import.meta.dirname, '../../docs/attack.md')

export function writeReport(report: AttackReport): void {
  writeFileSync(FILE, pageOf(report))
}

function pageOf(report: AttackReport): string {
  const { reads, found } = report
  return `# The last attack

<!-- Made by \`npm run attack -- --write\`. -->

\`npm run attack -- --minutes 60 --write\` starts the service as \`npm start\` does and attacks it in phases: a hostile merchant and a hostile partner send random requests of every route of both documents, made from their schemas; race buys, cancels, quick-buys, funds, defunds, suspensions and deletions of one sub-user under the same external ids and keys; read what is dear to read; open, misuse and leave WebSockets; and send bytes that are no request. All the while their webhook endpoint never answers, answers without end, redirects, cuts and sends what is not HTTP, and the suppliers show every fault of the sandbox. Another merchant reads and buys beside them. It fails on an answer outside the envelope or its documented shape, on a 500, on an error that the service logs as unhandled, on a trade or posting made twice, on books that do not balance, on a redirect that is followed, on an event of the other merchant that does not arrive, on an unexplained case, and when the 95th percentile of the other merchant's reads is more than 30 ms above twice that of quiet phases. \`--seed\` throws the same dice again; what they meet depends on the machine.

| | |
|---|---|
| Run | ${report.at.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${report.minutes} minutes, seed ${report.seed} |
| Machine | load average ${report.load.toFixed(1)} at the end |
| Answers | ${countsText(report.counts)} |
| Trades of the other merchant | ${report.neighbourTrades} |
| Hostile endpoint | ${countsText(report.endpoint)} |
| Faults of suppliers | ${report.troubles} |
| Found | ${found.length === 0 ? 'nothing' : found.length} |
${found.map((text) => `\n- \`${text.split('\n')[0]}\``).join('')}

## Reads of the other merchant, in milliseconds

| While it was | Reads | p50 | p95 | p99 |
|---|---|---|---|---|
${reads.map(({ name, count, p50, p95, p99 }) => `| ${name} | ${count} | ${p50} | ${p95} | ${p99} |`).join('\n')}
`
}
