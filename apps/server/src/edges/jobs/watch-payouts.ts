// Figures of withdrawals, transactions and wallets, for alerts and dashboards.

import type { Db } from '#infra/database/db'
import type { Job } from '#infra/jobs/jobs'
import type { Clock } from '#infra/process/clock'
import type { Metrics } from '#infra/process/metrics'
import { listWallets, readFigures } from '#outbound'
import { readWithdrawalFigures } from '#payouts'

const EVERY_MS = 15_000

export function createWatchPayouts({
  db,
  clock,
  metrics,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly metrics: Metrics
}): Job {
  const count = metrics.gauge('payout_withdrawals', 'Withdrawals under way', ['status', 'held'])
  const oldest = metrics.gauge('payout_oldest_seconds', 'Age of the oldest withdrawal under way', [
    'status',
    'held',
  ])
  const transactions = metrics.gauge(
    'outbound_transactions',
    'Transactions that are not final, or left their chain',
    ['chain', 'state', 'held'],
  )
  const age = metrics.gauge('outbound_oldest_seconds', 'Age of the oldest transaction', [
    'chain',
    'state',
    'held',
  ])
  const halted = metrics.gauge('outbound_wallet_halted', '1 for a wallet that is halted', [
    'chain',
    'key',
  ])
  const gauges = [count, oldest, transactions, age, halted]
  const secondsSince = (at: Date): number => (clock.now().getTime() - at.getTime()) / 1000
  return {
    name: 'watch-payouts',
    everyMs: EVERY_MS,
    singleton: true,
    figures: gauges,
    work: async () => {
      const [withdrawals, figures, wallets] = await Promise.all([
        readWithdrawalFigures(db),
        readFigures(db),
        listWallets(db),
      ])
      for (const gauge of gauges) gauge.reset()
      for (const one of withdrawals) {
        count.labels(one.status, one.heldReason).set(one.count)
        oldest.labels(one.status, one.heldReason).set(secondsSince(one.oldest))
      }
      for (const one of figures) {
        transactions.labels(one.chain, one.state, one.holdReason).set(one.count)
        age.labels(one.chain, one.state, one.holdReason).set(secondsSince(one.oldest))
      }
      for (const { chain, keyRef, state } of wallets) {
        halted.labels(chain, keyRef).set(state === 'open' ? 0 : 1)
      }
      return false
    },
  }
}
