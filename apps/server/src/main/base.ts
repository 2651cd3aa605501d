// What every part needs and every process has.
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import type { RootLog } from '#platform/log'
import type { Metrics } from '#platform/metrics'
import type { Config } from './config.ts'
import type { Counterparts } from './outside.ts'

export interface Base {
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly log: RootLog
  readonly metrics: Metrics
  readonly counterparts: Counterparts
}
