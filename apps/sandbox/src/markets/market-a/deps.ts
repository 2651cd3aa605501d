import type { DatasetKeeper } from '../../dataset-keeper.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Accounts } from '../accounts.ts'
import type { Orders } from '../orders.ts'
import type { Switchboard } from '../switchboard.ts'
import type { MarketASettings } from './settings.ts'

export interface MarketADeps {
  readonly clock: Clock
  readonly keeper: DatasetKeeper
  readonly orders: Orders
  readonly accounts: Accounts
  readonly switchboard: Switchboard
  readonly settings: MarketASettings
  /** 0 sets no limit. */
  readonly callsPerSecond: number
  readonly stop: AbortSignal
}
