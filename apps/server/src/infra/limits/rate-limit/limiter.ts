// The limits that a process asks: in its own memory, or in the store that several processes share. When
// the store is lost, each process decides by itself until it is back, and never lets everything through.
//
// What a process decides alone costs as many times as much as there were processes when the store was
// last reported, on top of what the store said was used: so all of them together stay within the limit,
// give or take what the others were admitted after this one had last asked. What was admitted meanwhile
// is entered in the store with the next question.
import type { Claim, Level, Verdict } from './claim.ts'
import { createLocalStore } from './local-store.ts'
import type { SharedStore } from './shared-store.ts'

export interface Limiter {
  /** Takes all claims or none. Answers at once when it needs no other process. */
  take(claims: readonly Claim[]): Verdict | Promise<Verdict>
  read(claims: readonly Claim[]): readonly Level[] | Promise<readonly Level[]>
}

export interface LimiterOptions {
  readonly windowMs: number
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: () => number
  /** Null: there is one process. */
  readonly shared: SharedStore | null
  /** Called for each decision that was made without the store although there is one. */
  readonly onAlone?: () => void
  readonly maxKeys?: number
}

export function createLimiter({ shared, onAlone = () => {}, ...options }: LimiterOptions): Limiter {
  const local = createLocalStore(options)
  if (shared === null) return local

  /** Admitted without the store, and not known to it yet. */
  const unsent = createLocalStore(options)

  const decideAlone = (claims: readonly Claim[]): Verdict => {
    onAlone()
    const verdict = local.take(claims, shared.processes())
    if (verdict.admitted) {
      for (const claim of claims) if (claim.cost > 0) unsent.enter(claim)
    }
    return verdict
  }

  /**
   * What is known of the store stays within reach, for the moment when it is lost. What was admitted here is
   * always entered: an older entry that the store has let go of already must not stand for it.
   */
  const learn = (claims: readonly Claim[], { admitted, levels }: Verdict): void => {
    for (const [i, claim] of claims.entries()) {
      if (admitted && claim.cost > 0) local.enter(claim)
      const unseen = (levels[i]?.used ?? 0) - local.used(claim.key)
      if (unseen > 0) local.enter({ ...claim, cost: unseen })
    }
  }

  const ask = async (claims: readonly Claim[]): Promise<Verdict> => {
    const elsewhere = claims.map(({ key }) => unsent.drain(key))
    try {
      const verdict = await shared.take(claims, elsewhere)
      learn(claims, verdict)
      return verdict
    } catch (error) {
      // Perhaps it was entered all the same: then it counts twice, which is the safe mistake.
      for (const [i, claim] of claims.entries()) {
        const cost = elsewhere[i] ?? 0
        if (cost > 0) unsent.enter({ ...claim, cost })
      }
      throw error
    }
  }

  return {
    take: (claims) =>
      shared.isUsable() ? ask(claims).catch(() => decideAlone(claims)) : decideAlone(claims),
    read: (claims) => {
      if (!shared.isUsable()) return local.read(claims)
      const questions = claims.map((claim) => ({ ...claim, cost: 0 }))
      return ask(questions).then(
        ({ levels }) => levels,
        () => local.read(claims),
      )
    },
  }
}
