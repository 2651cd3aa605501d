// A partner's view of its children, and of how the service is.
import type {
  ChildResponse,
  MarketHealth,
  MarketHealthEntry,
  PartnerStats,
} from '@tradepost/contract'
import type { Child } from '#identity'
import { cents } from '#kernel/money'
import type { MarketHealthEntry as Health, MarketsHealth } from '#operations'
import type { OrderFigures } from '#trades'
import { moneyNumber } from '../money.ts'

/** `email` is what the caller asked for: a deleted child has none any more. */
export const childView = (
  child: Child,
  {
    apiKey,
    email,
    linkedUserId,
    message,
  }: {
    readonly apiKey: string | null
    readonly email: string
    readonly linkedUserId: string | null
    readonly message: string
  },
): ChildResponse => ({
  apiKeyId: child.firstKeyId,
  ...(apiKey !== null && { apiKey }),
  email: child.email ?? email,
  name: child.name ?? child.email ?? email,
  linkedUserId,
  status: child.status,
  message,
})

export const statsView = ({ completed, open }: OrderFigures): PartnerStats => ({
  orderAmount: completed.count,
  pendingOrderAmount: open.count,
  volume: moneyNumber(completed.total),
  pendingVolume: moneyNumber(open.total),
  partnerRevenue: moneyNumber(completed.merchantFees),
  pendingPartnerRevenue: moneyNumber(open.merchantFees),
})

export const healthView = (health: MarketsHealth): MarketHealth => ({
  status: health.status,
  ts: health.at.getTime(),
  markets: {
    market_a: entryView(health.markets.market_a as Health),
    market_b: entryView(health.markets.market_b as Health),
  },
  service: {
    market_a: health.service.market_a ?? false,
    market_b: health.service.market_b ?? false,
  },
})

const entryView = (entry: Health): MarketHealthEntry => ({
  status: entry.status,
  staleMs: entry.staleMs,
  commonQueue: entry.commonQueue.name,
  commonConsumers: entry.commonConsumers,
  workers: entry.workers.map(({ workerId, queue, consumerCount, heartbeat, status }) => ({
    workerId,
    queue,
    consumerCount,
    heartbeat: heartbeat && {
      ts: heartbeat.at.getTime(),
      ageMs: heartbeat.ageMs,
      balanceUsd: heartbeat.balanceMills === null ? null : dollars(heartbeat.balanceMills),
    },
    status,
  })),
})

/** Rounded down: a balance is never shown higher than it is. */
const dollars = (balanceMills: bigint): number => moneyNumber(cents(balanceMills / 10n))
