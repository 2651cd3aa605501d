import { createCallLimit } from '../../http/call-limit.ts'
import type { MarketADeps } from './deps.ts'

export interface MarketAKeys {
  /** Counts a call under a key. Null when the key is good, else the text of the refusal. */
  admit(key: string | undefined): string | null
  revoked(): readonly string[]
  /** As if each had called too often. */
  revoke(of: readonly string[]): void
  restore(): void
}

/**
 * One call too many in a second deletes a key for good at the real market. Here it stays deleted
 * until the sandbox restarts or the control interface restores it: a developer's mistake should
 * be seen, not pay for itself forever.
 */
export function createMarketAKeys(deps: MarketADeps): MarketAKeys {
  const limit = createCallLimit(deps.clock, 1000)
  const revoked = new Set<string>()
  let refusals = 0

  const refuse = (): string => {
    refusals += 1
    return refusals % 2 === 1 ? 'Bad KEY' : 'bad_key'
  }

  return {
    admit(key) {
      if (key === undefined || !deps.accounts.has('market_a', key)) return refuse()
      if (deps.callsPerSecond > 0 && limit.spend(key, deps.callsPerSecond) > 0) revoked.add(key)
      return revoked.has(key) ? refuse() : null
    },
    revoked: () => [...revoked],
    revoke: (of) => {
      for (const key of of) revoked.add(key)
    },
    restore: () => revoked.clear(),
  }
}
