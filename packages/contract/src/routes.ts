// The merchant interface: every operation that an API key can call.
import type { Route } from './route.ts'
import { depositRoutes } from './routes/deposits.ts'
import { eventRoutes } from './routes/events.ts'
import { liveRoutes } from './routes/live.ts'
import { marketRoutes } from './routes/market.ts'
import { marketOrderRoutes } from './routes/market-orders.ts'
import { merchantAccountRoutes } from './routes/merchant.ts'
import { payoutRoutes } from './routes/payouts.ts'
import { sellingRoutes } from './routes/selling.ts'
import { statusRoutes } from './routes/status.ts'
import { subUserRoutes } from './routes/sub-users.ts'
import { tradingRoutes } from './routes/trading.ts'
import { userRoutes } from './routes/user.ts'

export const merchantRoutes = {
  ...merchantAccountRoutes,
  ...eventRoutes,
  ...subUserRoutes,
  ...userRoutes,
  ...marketRoutes,
  ...statusRoutes,
  ...tradingRoutes,
  ...marketOrderRoutes,
  ...liveRoutes,
  ...sellingRoutes,
  ...depositRoutes,
  ...payoutRoutes,
} as const

export type MerchantRouteId = keyof typeof merchantRoutes

/** The same as a list, for those who loop. */
export const merchantRouteList: readonly Route[] = Object.values(merchantRoutes)
