// The baseline of our account at a market: what is there and what its orders since a moment have cost,
// added up. Orders move money from one to the other, so the baseline stays where it is until a person pays
// in, draws out, or does not give back what an order should have returned. Pure.
import type { StatementLine } from './ports.ts'

export interface Baseline {
  /** Orders placed from then on are counted. */
  readonly since: Date
  readonly mills: bigint
  /** Another baseline that was seen lately, and since when. It must last before it is believed. */
  readonly candidate: { readonly mills: bigint; readonly since: Date } | null
}

export type Verdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'waits' }
  | { readonly kind: 'fell'; readonly byMills: bigint }
  | { readonly kind: 'rose'; readonly byMills: bigint }

/** What the orders of a statement have cost: paid, less what came back. Null when a line does not say. */
export function costOf(lines: readonly StatementLine[], since: Date): bigint | null {
  let mills = 0n
  for (const { placedAt, paidMills, returnedMills } of lines) {
    if (placedAt < since) continue
    if (paidMills === null) return null
    mills += paidMills - (returnedMills ?? 0n)
  }
  return mills
}

/**
 * A supplier shows the end of an order and pays it back at two moments, so another baseline is believed only
 * after it has lasted for `settleMs` and was seen at least twice.
 */
export function judgeBaseline(
  known: Baseline,
  mills: bigint,
  { at, settleMs }: { readonly at: Date; readonly settleMs: number },
): { readonly baseline: Baseline; readonly verdict: Verdict } {
  if (mills === known.mills) {
    return { baseline: { ...known, candidate: null }, verdict: { kind: 'same' } }
  }
  if (known.candidate?.mills !== mills) {
    return { baseline: { ...known, candidate: { mills, since: at } }, verdict: { kind: 'waits' } }
  }
  if (at.getTime() - known.candidate.since.getTime() < settleMs) {
    return { baseline: known, verdict: { kind: 'waits' } }
  }
  const byMills = mills > known.mills ? mills - known.mills : known.mills - mills
  return {
    baseline: { since: known.since, mills, candidate: null },
    verdict: { kind: mills < known.mills ? 'fell' : 'rose', byMills },
  }
}
