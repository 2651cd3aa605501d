// Alternating rounds: ours, peer, ours, peer, … so that what else the machine does meets both alike.
import { cpuSecondsOf } from './machine.ts'

export interface Round {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the server process alone for one request; null where it was not looked at. */
  readonly cpuMsEach: number | null
}

export interface Side {
  /** Runs one round; `index` is -1 for the round that only warms up. */
  run(index: number): Promise<Omit<Round, 'cpuMsEach'> & { count: number }>
  /** The process whose CPU time is reported; null for none. */
  readonly pid: number | null
}

export interface Compared {
  readonly ours: readonly Round[]
  readonly peer: readonly Round[]
  readonly attempts: number
}

export type Say = (text: string) => void

/** Rounds of one side that scatter by more than this say that the machine was disturbed. */
const MAX_SCATTER = 0.3

export async function compare(
  sides: { readonly ours: Side; readonly peer: Side },
  { rounds, say }: { rounds: number; say: Say },
): Promise<Compared> {
  await sides.ours.run(-1)
  await sides.peer.run(-1)
  let best: Compared | null = null
  for (let attempts = 1; attempts <= 2; attempts++) {
    const ours: Round[] = []
    const peer: Round[] = []
    for (let index = 0; index < rounds; index++) {
      ours.push(await measured(sides.ours, index))
      peer.push(await measured(sides.peer, index))
      say(`round ${index + 1}: ${perSecondOf(ours.at(-1))} against ${perSecondOf(peer.at(-1))}`)
    }
    const now: Compared = { ours, peer, attempts }
    const quieter: Compared = best === null || scatterOf(now) < scatterOf(best) ? now : best
    best = { ...quieter, attempts }
    if (scatterOf(now) <= MAX_SCATTER || rounds < 5) break
    if (attempts === 1) say('the rounds scatter by more than 30%: once more')
  }
  return best as Compared
}

async function measured(side: Side, index: number): Promise<Round> {
  const before = side.pid === null ? 0 : cpuSecondsOf(side.pid)
  const { count, perSecond, p50Ms, p99Ms } = await side.run(index)
  const used = side.pid === null ? null : cpuSecondsOf(side.pid) - before
  return { perSecond, p50Ms, p99Ms, cpuMsEach: used === null ? null : (used * 1000) / count }
}

const perSecondOf = (round: Round | undefined): string =>
  round
    ? `${Math.round(round.perSecond)}/s${Number.isFinite(round.p99Ms) ? ` (p99 ${round.p99Ms.toFixed(1)} ms)` : ''}`
    : ''

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export const rateOf = (rounds: readonly Round[]): number =>
  median(rounds.map(({ perSecond }) => perSecond))
export const p99Of = (rounds: readonly Round[]): number => median(rounds.map(({ p99Ms }) => p99Ms))
export const p50Of = (rounds: readonly Round[]): number => median(rounds.map(({ p50Ms }) => p50Ms))
export const cpuOf = (rounds: readonly Round[]): number | null => {
  const known = rounds.flatMap(({ cpuMsEach }) => (cpuMsEach === null ? [] : [cpuMsEach]))
  return known.length > 0 ? median(known) : null
}

/** The widest distance between two rounds of one side, as a share of their median. */
export function scatterOf({ ours, peer }: Pick<Compared, 'ours' | 'peer'>): number {
  const spread = (side: readonly Round[]): number => {
    const rates = side.map(({ perSecond }) => perSecond)
    return (Math.max(...rates) - Math.min(...rates)) / median(rates)
  }
  return Math.max(spread(ours), spread(peer))
}
