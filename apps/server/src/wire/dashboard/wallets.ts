// The dashboard's view of a wallet's threshold.
import type { BalanceThreshold } from '@tradepost/contract'
import type { ShownThreshold } from '#operations'
import { moneyNumber } from '../money.ts'

export const balanceThresholdView = ({ wallet, threshold }: ShownThreshold): BalanceThreshold => ({
  threshold: threshold === null ? null : moneyNumber(threshold.amount),
  balance: moneyNumber(wallet.balance),
  currency: wallet.currency,
  lowSince: threshold?.lowSince?.toISOString() ?? null,
})
