// What every row needs and what it reports.

import type { Installation } from '../installation/installation.ts'
import { type Helper, startHelper } from '../ipc.ts'
import type { LoadResult, LoadTask } from '../load/client.ts'
import type { LoadMethods } from '../load/process.ts'
import {
  type Compared,
  cpuOf,
  p50Of,
  p99Of,
  type Round,
  rateOf,
  type Say,
  scatterOf,
} from '../rounds.ts'
import type { PeerMethods } from '../servers/peer.ts'

export interface Bench {
  readonly installation: Installation
  readonly rounds: number
  readonly isQuick: boolean
  readonly say: Say
}

/** One line of the results. */
export interface Line {
  readonly path: string
  readonly ours: string
  readonly peer: string
  readonly ratio: string
  readonly aim: string
  readonly reached: boolean
  readonly scatter: number | null
  readonly note: string
  /** Every round, for machines. */
  readonly rounds: Pick<Compared, 'ours' | 'peer'> | null
}

export type RunRow = (bench: Bench) => Promise<Line[]>
/** Of a row that makes what it measures itself. `accepts`: figures that have grown are kept all the same. */
export type RunAlone = (
  bench: Pick<Bench, 'isQuick' | 'say'> & { readonly accepts: boolean },
) => Promise<Line[]>

export const startLoad = (): Helper<LoadMethods> =>
  startHelper<LoadMethods>(`${import.meta.dirname}/../load/process.ts`)

export const startPeer = (): Helper<PeerMethods> =>
  startHelper<PeerMethods>(`${import.meta.dirname}/../servers/peer.ts`)

/** Runs load of which every answer must be a 200. */
export async function loadOf(load: Helper<LoadMethods>, task: LoadTask): Promise<LoadResult> {
  const result = await load.call('run', task)
  if (Object.keys(result.statuses).join() === '200') return result
  throw new Error(`${JSON.stringify(result.statuses)}: ${result.firstFailure}`)
}

export interface RateAim {
  /** Ours per second, as a share of the peer's. */
  readonly ratio: number
  /** How many times the peer's p99 ours may be. */
  readonly p99Times?: number
  /** Or a bound of its own. */
  readonly p99Ms?: number
}

export function rateLine(path: string, compared: Compared, aim: RateAim, note = ''): Line {
  const { ours, peer } = compared
  const ratio = rateOf(ours) / rateOf(peer)
  const times = p99Of(ours) / p99Of(peer)
  const aims = [`≥ ${aim.ratio.toFixed(2)}`]
  if (aim.p99Times) aims.push(`p99 ≤ ${aim.p99Times} × the peer's`)
  if (aim.p99Ms) aims.push(`p99 < ${aim.p99Ms} ms`)
  return {
    path,
    ours: describeRounds(ours),
    peer: describeRounds(peer),
    ratio: `${ratio.toFixed(2)}${aim.p99Times ? `, p99 × ${times.toFixed(2)}` : ''}`,
    aim: aims.join(', '),
    reached:
      ratio >= aim.ratio &&
      (aim.p99Times === undefined || times <= aim.p99Times) &&
      (aim.p99Ms === undefined || p99Of(ours) < aim.p99Ms),
    scatter: scatterOf(compared),
    note: [note, cpuNote(ours, peer), compared.attempts > 1 ? 'repeated once' : '']
      .filter(Boolean)
      .join('; '),
    rounds: { ours, peer },
  }
}

export function describeRounds(rounds: readonly Round[]): string {
  const rate = `${Math.round(rateOf(rounds)).toLocaleString('en')}/s`
  const isTimed = Number.isFinite(p99Of(rounds))
  return isTimed ? `${rate}, p50 ${ms(p50Of(rounds))}, p99 ${ms(p99Of(rounds))}` : rate
}

export const ms = (value: number): string =>
  `${value >= 100 ? Math.round(value) : value.toFixed(value >= 10 ? 1 : 2)} ms`

function cpuNote(ours: readonly Round[], peer: readonly Round[]): string {
  const [mine, other] = [cpuOf(ours), cpuOf(peer)]
  if (mine === null || other === null) return ''
  return `CPU of the Node process for one request: ${mine.toFixed(3)} ms against ${other.toFixed(3)} ms`
}

/** A whole request as it goes over the wire. */
export function requestOf(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1']
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (body !== '') {
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
