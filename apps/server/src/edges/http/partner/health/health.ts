// GET /v1/partner/market-health
import { partnerRoutes } from '@tradepost/contract'
import type { MarketsHealth } from '#operations'
import { healthView } from '#wire/partner/children'
import { operation, type PartnerOperations } from '../operation.ts'

export const createHealthOperation = ({
  readHealth,
}: {
  readHealth(): Promise<MarketsHealth>
}): PartnerOperations['getMarketHealth'] =>
  operation(partnerRoutes.getMarketHealth, async () => healthView(await readHealth()))
