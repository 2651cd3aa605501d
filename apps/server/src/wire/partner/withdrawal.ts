// Withdrawals of an account's own wallet as the partner interface shows them.
import type { PartnerWithdrawal, WithdrawResponse } from '@tradepost/contract'
import { cents } from '#kernel/money'
import { type WalletWithdrawal, type Withdrawal, walletStageOf } from '#payouts'
import { moneyNumber } from '../money.ts'

export function placedWithdrawalView({
  withdrawal,
  receiveCents,
  isCovered,
}: WalletWithdrawal): WithdrawResponse {
  const { id, token, feeCents, siteFeeCents } = withdrawal
  if (!isCovered) {
    return {
      id,
      status: 'queued',
      queued: true,
      message: 'It is paid as soon as liquidity allows.',
    }
  }
  return {
    id,
    status: 'pending',
    token: token as 'USDT' | 'USDC',
    fee: {
      network: moneyNumber(feeCents),
      site: moneyNumber(siteFeeCents),
      total: moneyNumber(cents(feeCents + siteFeeCents)),
    },
    receiveAmount: moneyNumber(receiveCents),
    withdraw_exchange_id: id,
    message:
      withdrawal.heldReason === null
        ? 'It is on its way.'
        : 'It is above a limit, and is paid once an operator has released it.',
  }
}

export const walletWithdrawalView = (withdrawal: Withdrawal): PartnerWithdrawal => ({
  id: withdrawal.id,
  amount: moneyNumber(withdrawal.amountCents),
  currency: 'USD',
  method: 'crypto',
  status: walletStageOf(withdrawal),
  timestamp: withdrawal.createdAt.toISOString(),
})
