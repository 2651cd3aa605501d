// The baseline of our account at a market: what is there and what its orders since a moment have cost,
// added up. Orders move money from one to the other, so the baseline stays where it is until a person pays
// in, draws out, or does not give back what an order should have returned. Of a market that never stands
// still it is known between two bounds. Pure.
import type { StatementLine } from './ports.ts'

/** Thousandths of a US dollar, both included. */
export interface Bounds {
  readonly low: bigint
  readonly high: bigint
}

export interface Baseline {
  /** Orders placed from then on are counted. */
  readonly since: Date
  readonly mills: Bounds
  /** Another baseline that was seen lately, and since when. It must last before it is believed. */
  readonly candidate: { readonly mills: Bounds; readonly since: Date } | null
}

/** `by`: how much, at least and at most. */
export type Verdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'waits' }
  | { readonly kind: 'fell'; readonly by: Bounds }
  | { readonly kind: 'rose'; readonly by: Bounds }

/**
 * What the orders since a moment had cost when the balance was read between these two statements: what was
 * paid, less what came back. What was paid between them may be part of it, and what came back may not. Null
 * when a line does not say.
 */
export function costBetween(
  first: readonly StatementLine[],
  second: readonly StatementLine[],
  since: Date,
): Bounds | null {
  const before = amountsOf(first, since)
  const after = amountsOf(second, since)
  if (before === null || after === null) return null
  let [low, high] = [0n, 0n]
  for (const orderId of new Set([...before.keys(), ...after.keys()])) {
    const was = before.get(orderId) ?? NOTHING
    const is = after.get(orderId) ?? NOTHING
    low += least(was.paid, is.paid) - most(was.returned, is.returned)
    high += most(was.paid, is.paid) - least(was.returned, is.returned)
  }
  return { low, high }
}

interface Amounts {
  readonly paid: bigint
  readonly returned: bigint
}
const NOTHING: Amounts = { paid: 0n, returned: 0n }
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

function amountsOf(lines: readonly StatementLine[], since: Date): Map<string, Amounts> | null {
  const amounts = new Map<string, Amounts>()
  for (const { orderId, placedAt, paidMills, returnedMills } of lines) {
    if (placedAt < since) continue
    if (paidMills === null) return null
    amounts.set(orderId, { paid: paidMills, returned: returnedMills ?? 0n })
  }
  return amounts
}

/** What both say; null where they contradict one another. */
const common = (a: Bounds, b: Bounds): Bounds | null => {
  const bounds = { low: most(a.low, b.low), high: least(a.high, b.high) }
  return bounds.low <= bounds.high ? bounds : null
}

/** Another baseline is believed to be likely, and is not yet. */
export const isDoubted = ({ mills, candidate }: Baseline): boolean =>
  candidate !== null && common(mills, candidate.mills) === null

/**
 * It fell when even the largest cost does not explain the balance, and rose when even the smallest does not.
 * A supplier shows the end of an order and pays it back at two moments, so another baseline, and narrower
 * bounds of the same, are believed only after they have lasted for `settleMs` and were seen at least twice.
 */
export function judgeBaseline(
  known: Baseline,
  read: Bounds,
  { at, settleMs }: { readonly at: Date; readonly settleMs: number },
): { readonly baseline: Baseline; readonly verdict: Verdict } {
  const shared = common(known.mills, read)
  if (shared !== null && isEqual(shared, known.mills)) {
    return { baseline: { ...known, candidate: null }, verdict: { kind: 'same' } }
  }
  const seen = shared ?? read
  const lasting = known.candidate === null ? null : common(known.candidate.mills, seen)
  const since = lasting === null || known.candidate === null ? at : known.candidate.since
  const mills = lasting ?? seen
  if (lasting === null || at.getTime() - since.getTime() < settleMs) {
    const baseline = { ...known, candidate: { mills, since } }
    return { baseline, verdict: { kind: shared === null ? 'waits' : 'same' } }
  }
  const baseline = { since: known.since, mills, candidate: null }
  return { baseline, verdict: shared === null ? moved(known.mills, mills) : { kind: 'same' } }
}

const isEqual = (a: Bounds, b: Bounds): boolean => a.low === b.low && a.high === b.high

/** From one to another that has nothing in common with it. */
function moved(from: Bounds, to: Bounds): Verdict {
  const hasFallen = to.high < from.low
  const [lower, higher] = hasFallen ? [to, from] : [from, to]
  return {
    kind: hasFallen ? 'fell' : 'rose',
    by: { low: higher.low - lower.high, high: higher.high - lower.low },
  }
}
