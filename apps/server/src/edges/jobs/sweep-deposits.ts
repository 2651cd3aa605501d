// Begins the sweeps of each chain; `outbound` signs, sends and follows their transactions.
import { type ReadPrice, type SweepTarget, sweepDeposits } from '#chains'
import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { BroadcastNode } from '#outbound'
import type { OpenChain } from './scan-chains.ts'

export interface SweepDepositsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly chains: readonly (OpenChain & { readonly broadcast: BroadcastNode })[]
  readonly readPrice: ReadPrice
  /** Null: nothing is swept. */
  readonly target: () => Promise<SweepTarget | null>
  readonly everyMs: number
}

export function createSweepDeposits({
  chains,
  log,
  target: findTarget,
  everyMs,
  ...deps
}: SweepDepositsDeps): Job[] {
  return chains.map(({ rules: { chain }, broadcast }) => ({
    name: `sweep-${chain}`,
    everyMs,
    singleton: true,
    work: async ({ signal }) => {
      const target = await findTarget()
      if (target === null) return false
      const { begun, refused } = await sweepDeposits(
        { ...deps, chain, node: broadcast, target },
        signal,
      )
      if (begun > 0) log.info({ chain, begun }, 'sweeps begun')
      for (const { address, why } of refused) {
        log.warn({ chain, address, why }, 'address cannot be swept now')
      }
      return false
    },
  }))
}
