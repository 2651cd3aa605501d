// The merchant interface's view of a stored trade URL.
import type { TradeUrl as TradeUrlShape } from '@tradepost/contract'
import type { TradeUrl } from '#identity'

export const tradeUrlView = (tradeUrl: TradeUrl): TradeUrlShape => ({
  id: tradeUrl.id,
  url: tradeUrl.url,
  platformId: tradeUrl.platformId,
  personaName: tradeUrl.personaName,
  avatarUrl: tradeUrl.avatarUrl,
  profileUrl: tradeUrl.profileUrl,
  isPrimary: tradeUrl.isPrimary,
  createdAt: tradeUrl.createdAt.toISOString(),
})
