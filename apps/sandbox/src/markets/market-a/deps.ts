import type { DatasetKeeper } from '../../dataset-keeper.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Switches } from '../../party/switches.ts'
import type { Accounts } from '../accounts.ts'
import type { MarketFaults } from '../faults.ts'
import type { Orders } from '../orders.ts'
import type { MarketASettings } from './settings.ts'

export interface MarketADeps {
  readonly clock: Clock
  readonly keeper: DatasetKeeper
  readonly orders: Orders
  readonly accounts: Accounts
  readonly faults: MarketFaults
  readonly switches: Switches
  readonly settings: MarketASettings
  /** 0 sets no limit. */
  readonly callsPerSecond: number
  readonly stop: AbortSignal
}
