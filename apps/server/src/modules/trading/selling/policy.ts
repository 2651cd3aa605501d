// The policy as a process remembers it, and how the operator changes it.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Policy } from './quote.ts'
import { readPolicy, readVersion } from './store/policy.ts'

export { readPolicy, writeBand, writeItemPolicy, writePolicy } from './store/policy.ts'

const FRESH_MS = 1000

/** The policy, at most a second old: its version is asked for, and the rest only when that has risen. */
export function createPolicyReader({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): () => Promise<Policy> {
  let known: { readonly policy: Promise<Policy>; readonly atMs: number } | undefined
  return () => {
    const atMs = clock.now().getTime()
    if (known && atMs >= known.atMs && atMs - known.atMs < FRESH_MS) return known.policy
    const before = known?.policy
    const policy = (async () => {
      const last = await before?.catch(() => undefined)
      if (last && (await readVersion(db)) === last.version) return last
      return readPolicy(db)
    })()
    known = { policy, atMs }
    policy.catch(() => {
      if (known?.policy === policy) known = undefined
    })
    return policy
  }
}
