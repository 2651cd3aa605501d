// The dashboard's views of figures of finished hours and days.
import type { PartnerFigures, ServiceFigures, TradingFigures } from '@tradepost/contract'
import type { Figures, PeriodFigures, ServiceBucket } from '#operations'
import { moneyNumber } from '../money.ts'

export const partnerFiguresView = (figures: Figures): PartnerFigures => ({
  ...periodView(figures),
  current: tradingView(figures.current),
  previous: tradingView(figures.previous),
})

export const serviceFiguresView = ({
  buckets,
  ...figures
}: Figures & { readonly buckets: readonly ServiceBucket[] }): ServiceFigures => ({
  ...periodView(figures),
  current: serviceView(figures.current),
  previous: serviceView(figures.previous),
  buckets: buckets.map(({ at, volume, income, ...counts }) => ({
    ...{ at: at.toISOString(), volume: moneyNumber(volume), income: moneyNumber(income) },
    ...counts,
  })),
})

const periodView = ({ isReady, unit, from, to }: Figures) => ({
  ...{ isReady, unit, from: from.toISOString(), to: to.toISOString() },
})

const serviceView = (figures: PeriodFigures): ServiceFigures['current'] => ({
  volume: moneyNumber(figures.volume),
  income: moneyNumber(figures.income),
  ...tradingView(figures),
})

function tradingView(figures: PeriodFigures): TradingFigures {
  const { begun, ended, markets, offer, delivery, refunds, attempts, deposits, payouts } = figures
  const endedIn = (status: string): number => ended.get(status) ?? 0
  return {
    begun,
    ended: {
      completed: endedIn('completed'),
      reverted: endedIn('reverted'),
      declined: endedIn('declined'),
      canceled: endedIn('canceled'),
      failed: endedIn('failed'),
    },
    markets: [...markets].map(([id, items]) => ({ id, ...items })),
    offer: timesView(offer),
    delivery: timesView(delivery),
    refunds: refunds.map(({ cause, count, usd }) => ({ cause, count, amount: moneyNumber(usd) })),
    webhooks: attempts,
    deposits: { count: deposits.count, amount: moneyNumber(deposits.usd) },
    payouts: { count: payouts.count, amount: moneyNumber(payouts.usd) },
  }
}

const timesView = ({ count, p50, p95 }: PeriodFigures['offer']): TradingFigures['offer'] => ({
  ...{ count, p50Seconds: p50, p95Seconds: p95 },
})
