// What every part needs and every process has.
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import type { RootLog } from '#infra/log'
import type { Metrics } from '#infra/metrics'
import type { Adapters } from './adapters.ts'
import type { Config } from './config.ts'

export interface Resources {
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly log: RootLog
  readonly metrics: Metrics
  readonly adapters: Adapters
}
