import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { ageDays, isTooOld, rejectReason } from './check-rate.ts'
import type { RateSource } from './ports.ts'
import { findLatestRate, saveRate } from './store.ts'

export interface Refreshed {
  /** Why the fetched rate was rejected, or null. */
  readonly rejected: string | null
  /** Days since the day of the rate that holds now; null without one. */
  readonly ageDays: number | null
  /** Euro prices are refused. */
  readonly tooOld: boolean
}

export interface RefreshDeps {
  readonly db: Db
  readonly clock: Clock
  readonly source: RateSource
}

/** Fetches the rate and stores it unless it is rejected. Errors of the source are thrown on. */
export async function refreshRate({ db, clock, source }: RefreshDeps): Promise<Refreshed> {
  const fetched = await source.fetch()
  const now = clock.now()
  const known = await findLatestRate(db)
  const reason = rejectReason(fetched, known, now)
  if (reason === null) await db.transaction((tx) => saveRate(tx, fetched, now))
  const holds = reason === null ? fetched : known
  return {
    rejected: reason,
    ageDays: holds && ageDays(holds, now),
    tooOld: holds === null || isTooOld(holds, now),
  }
}
