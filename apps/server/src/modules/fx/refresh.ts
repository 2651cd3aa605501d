import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { ageDays, doubt, isTooOld } from './believe.ts'
import type { RateSource } from './ports.ts'
import { findLatestRate, saveRate } from './store.ts'

export interface Refreshed {
  /** Why the source's answer was not taken, or null. */
  readonly doubt: string | null
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

/** Asks the source and keeps what can be believed. What the source throws is thrown on. */
export async function refreshRate({ db, clock, source }: RefreshDeps): Promise<Refreshed> {
  const news = await source.fetch()
  const now = clock.now()
  const known = await findLatestRate(db)
  const reason = doubt(news, known, now)
  if (reason === null) await db.transaction((tx) => saveRate(tx, news, now))
  const holds = reason === null ? news : known
  return {
    doubt: reason,
    ageDays: holds && ageDays(holds, now),
    tooOld: holds === null || isTooOld(holds, now),
  }
}
