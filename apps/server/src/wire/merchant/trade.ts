// The merchant interface's view of a trade; HTTP and webhooks share it.
import type { TradeItem as TradeItemShape, Trade as TradeShape } from '@tradepost/contract'
import type { Trade, TradeItem } from '#trades'
import { moneyNumber } from '../money.ts'

export function tradeView(trade: Trade): TradeShape {
  const { items } = trade
  const only = items.length === 1 ? items[0] : undefined
  const holdEnd = latest(items.map((item) => item.holdEndsAt))
  const settled = ended(items) ? latest(items.map((item) => item.settledAt)) : null
  const reverted = items.find((item) => item.revertedBy !== null)
  const failed =
    trade.status === 'failed' || trade.status === 'declined'
      ? items.find((item) => item.failure !== null)
      : undefined
  return {
    id: trade.id,
    type: trade.type,
    userId: trade.accountId,
    platformId: trade.platformId,
    tradeUrl: trade.tradeUrl,
    ...(only?.offerId && { offerId: only.offerId }),
    ...(trade.externalId !== null && { externalId: trade.externalId }),
    ...(trade.marketOrderId !== null && { marketOrderId: trade.marketOrderId }),
    status: trade.status,
    game: trade.game,
    items: items.map(itemView),
    summary: {
      total: items.length,
      delivered: count(items, ['hold', 'completed']),
      completed: count(items, ['completed']),
      failed: count(items, ['failed', 'declined', 'canceled', 'reverted']),
    },
    totalPrice: moneyNumber(trade.total),
    currency: trade.currency,
    ...(holdEnd && { holdEndDate: holdEnd.toISOString() }),
    ...(settled && { settledAt: settled.toISOString() }),
    ...(reverted?.revertedBy && { revertedBy: reverted.revertedBy }),
    ...(failed?.failure && { error: failed.failure }),
    createdAt: trade.createdAt.toISOString(),
    updatedAt: trade.updatedAt.toISOString(),
  }
}

function itemView(item: TradeItem): TradeItemShape {
  const { description } = item
  return {
    id: item.id,
    ...(item.externalId !== null && { externalId: item.externalId }),
    name: description.name,
    marketHashName: description.marketHashName,
    type: description.type,
    iconUrl: description.iconUrl,
    price: moneyNumber(item.price),
    ...(description.exterior !== null && { exterior: description.exterior }),
    ...(description.rarity && { rarity: description.rarity }),
    ...(description.color && { color: description.color }),
    ...(description.phase !== null && { phase: description.phase }),
    ...(description.wear !== null && { wear: description.wear }),
    ...(description.paintSeed !== null && { paintSeed: description.paintSeed }),
    ...(description.stickers.length > 0 && {
      stickers: description.stickers.map(({ name, slot, wear, iconUrl }) => ({
        name,
        slot,
        wear,
        iconUrl,
      })),
    }),
    ...(description.charm && { charm: charmView(description.charm) }),
    ...(description.delivery !== null && { delivery: description.delivery }),
    status: item.status,
    tradable: item.status === 'completed',
    ...(item.offerId !== null && { offerId: item.offerId }),
    ...(item.failure !== null && { error: item.failure }),
    ...(item.failureDetail !== null && { errorDetail: item.failureDetail }),
    ...(item.refund && {
      refund: {
        amount: moneyNumber(item.refund.refunded),
        penalty: moneyNumber(item.refund.penalty),
        buyerFault: item.refund.buyerFault,
      },
    }),
  }
}

const charmView = ({ name, pattern, iconUrl }: NonNullable<TradeItem['description']['charm']>) => ({
  name,
  ...(pattern !== null && { pattern }),
  iconUrl,
})

const count = (items: readonly TradeItem[], statuses: readonly TradeItem['status'][]): number =>
  items.filter((item) => statuses.includes(item.status)).length

const ended = (items: readonly TradeItem[]): boolean =>
  items.every(
    (item) => count([item], ['completed', 'failed', 'declined', 'canceled', 'reverted']) === 1,
  )

const latest = (dates: readonly (Date | null)[]): Date | null =>
  dates.reduce(
    (last, date) => (date !== null && (last === null || date > last) ? date : last),
    null,
  )
