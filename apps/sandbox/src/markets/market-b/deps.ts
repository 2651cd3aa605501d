import type { DatasetKeeper } from '../../dataset-keeper.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Switches } from '../../party/switches.ts'
import type { Store } from '../../store/store.ts'
import type { Accounts } from '../accounts.ts'
import type { MarketFaults } from '../faults.ts'
import type { Orders } from '../orders.ts'
import type { MarketBSettings } from './settings.ts'

export interface MarketBDeps {
  readonly clock: Clock
  readonly store: Store
  readonly keeper: DatasetKeeper
  readonly orders: Orders
  readonly accounts: Accounts
  readonly faults: MarketFaults
  readonly switches: Switches
  readonly settings: MarketBSettings
  /** Budget of ordinary calls; 0 sets no limit. */
  readonly callsPerMinute: number
  readonly stop: AbortSignal
}
