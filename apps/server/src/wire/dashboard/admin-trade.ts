// The dashboard's view of a trade for administrators.
import { type AdminListedTrade, type AdminTrade, marketName } from '@tradepost/contract'
import { assertDefined } from '#kernel/assert'
import {
  botOf,
  type Explanation,
  explainTrade,
  type PlacedTrade,
  type TradeInspection,
} from '#operations'
import { tradeView } from '../merchant/trade.ts'
import { moneyNumber } from '../money.ts'
import { tradeRecordsView } from './merchant.ts'

/** `names`: of accounts, by their ids. */
export const adminListedTradeView = (
  { trade, markets }: PlacedTrade,
  names: ReadonlyMap<string, string>,
): AdminListedTrade => ({
  ...tradeView(trade),
  tenantId: trade.tenantId,
  tenantName: names.get(trade.tenantId) ?? trade.tenantId,
  markets: [...markets],
})

export function tradeInspectionView(
  found: TradeInspection,
  { names, now }: { readonly names: ReadonlyMap<string, string>; readonly now: Date },
): AdminTrade {
  const { trade, requestId, money, timeline } = found
  const explanation = explainTrade(found, { now, nameOf: marketName })
  return {
    id: trade.id,
    type: trade.type,
    status: trade.status,
    tenantId: trade.tenantId,
    tenantName: names.get(trade.tenantId) ?? trade.tenantId,
    accountId: trade.accountId,
    accountName: names.get(trade.accountId) ?? trade.accountId,
    externalId: trade.externalId,
    requestId,
    marketOrderId: trade.marketOrderId,
    currency: trade.currency,
    total: moneyNumber(trade.total),
    createdAt: trade.createdAt.toISOString(),
    explanation: explanation.money,
    openCases: [...explanation.cases],
    money: money.map(({ account, amount, currency }) => ({
      ...{ account, currency },
      amount: moneyNumber(amount),
    })),
    items: trade.items.map((item) => itemView(found, item, explanation)),
    ...tradeRecordsView(found),
    timeline: timeline.map(({ at, kind, what, item, details }) => ({
      ...{ kind, what, item },
      at: at.toISOString(),
      facts: spelled(details),
    })),
  }
}

function itemView(
  { items, sell, places }: TradeInspection,
  item: TradeInspection['trade']['items'][number],
  explanation: Explanation,
): AdminTrade['items'][number] {
  const bought = items.find(({ id }) => id === item.id)
  const place = places.get(item.id) ?? 'not_ordered'
  const { where, next, isOver } = assertDefined(explanation.items.get(item.id), 'an item in words')
  return {
    id: item.id,
    name: item.description.marketHashName,
    externalId: item.externalId,
    status: item.status,
    place,
    ...{ explanation: where, next, isOver },
    price: moneyNumber(item.price),
    houseFee: moneyNumber(item.houseFee),
    merchantFee: moneyNumber(item.merchantFee),
    refunded: item.refund && moneyNumber(item.refund.refunded),
    penalty: item.refund && moneyNumber(item.refund.penalty),
    failure: item.failure,
    offerId: item.offerId,
    holdEndsAt: item.holdEndsAt?.toISOString() ?? null,
    market: bought?.market ?? null,
    listing: bought?.rawListingId ?? null,
    bot: botOf(item, sell),
    dueAt: bought?.dueAt.toISOString() ?? null,
    orders: (bought?.orders ?? []).map(
      ({ customId, orderId, state, sentAt, paidMills, detail }) => ({
        ...{ customId, orderId, state, detail },
        sentAt: sentAt.toISOString(),
        paidUsd: paidMills === null ? null : Number(paidMills) / 1000,
      }),
    ),
  }
}

/** Details as JSON takes them: bigints as text, times in ISO 8601. What is null is left out. */
const spelled = (details: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(details)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, spelledValue(value)]),
  )

const spelledValue = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? String(part) : part)),
  )
