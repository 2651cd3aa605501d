// The partner interface: every operation that a partner's or a child's API key can call.
import type { PartnerRoute } from './partner-route.ts'
import { partnerAccountRoutes } from './routes/partner/account.ts'
import { partnerChildRoutes } from './routes/partner/children.ts'
import { partnerLegacyRoutes } from './routes/partner/legacy.ts'
import { partnerMarketRoutes } from './routes/partner/market.ts'
import { partnerWalletRoutes } from './routes/partner/wallet.ts'

export const partnerRoutes = {
  ...partnerChildRoutes,
  ...partnerMarketRoutes,
  ...partnerAccountRoutes,
  ...partnerWalletRoutes,
  ...partnerLegacyRoutes,
} as const

export type PartnerRouteId = keyof typeof partnerRoutes

/** The same as a list, for those who loop. */
export const partnerRouteList: readonly PartnerRoute[] = Object.values(partnerRoutes)
