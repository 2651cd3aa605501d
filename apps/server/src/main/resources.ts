// What every part needs and every process has.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { RootLog } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
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
