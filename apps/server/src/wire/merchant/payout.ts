// The merchant interface's view of withdrawals and of payout custody.
import type {
  Deposit as DepositShape,
  PayoutBatch,
  PayoutQuote,
  Withdrawal as WithdrawalShape,
} from '@tradepost/contract'
import { formatDecimal, fromUnits } from '#kernel/decimal'
import type { BatchState, CustodyDeposit, KeptCustodyQuote, Withdrawal } from '#payouts'

/** Stands for the native coin where a token's contract is expected. */
export const NATIVE_TOKEN_ADDRESS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

export const withdrawalView = (withdrawal: Withdrawal): WithdrawalShape => ({
  id: withdrawal.id,
  userId: withdrawal.ownerId,
  externalId: withdrawal.externalId,
  forUserId: withdrawal.forUserId,
  forUserExternalId: withdrawal.forUserExternalId,
  status: withdrawal.status,
  chain: withdrawal.chain,
  token: withdrawal.token,
  tokenAddress: withdrawal.tokenAddress ?? NATIVE_TOKEN_ADDRESS,
  destination: withdrawal.destination,
  amountCents: Number(withdrawal.amountCents),
  feeCents: Number(withdrawal.feeCents),
  amountWei: withdrawal.units.toString(),
  txHash: withdrawal.txHash,
  failureReason: withdrawal.failureReason,
  callbackAttempts: withdrawal.callbackAttempts,
  createdAt: withdrawal.createdAt.toISOString(),
  broadcastAt: withdrawal.broadcastAt?.toISOString() ?? null,
  confirmedAt: withdrawal.confirmedAt?.toISOString() ?? null,
})

export const payoutBatchView = (batch: BatchState): PayoutBatch => ({
  id: batch.id,
  externalId: batch.externalId,
  total: batch.total,
  byStatus: batch.byStatus,
  createdAt: batch.createdAt.toISOString(),
})

export const payoutQuoteView = (quote: KeptCustodyQuote): PayoutQuote => ({
  amountWei: quote.units.toString(),
  feeCents: Number(quote.token.feeCents),
  feeWei: quote.feeUnits.toString(),
  validForSeconds: quote.validForSeconds,
})

/** A deposit that has no wallet: what it is worth is not fixed. `externalId` is that of its sub-user. */
export const custodyDepositView = (
  deposit: CustodyDeposit,
  externalId: string | null,
): DepositShape => ({
  id: deposit.id,
  userId: deposit.userId ?? deposit.merchantId,
  userExternalId: externalId,
  method: 'crypto',
  status: deposit.status,
  currency: 'USD',
  token: deposit.token,
  chain: deposit.chain,
  payAmountToken: null,
  receivedAmountToken: formatDecimal(fromUnits(deposit.units, deposit.decimals)),
  receiveAmountUsd: null,
  creditedAmount: null,
  fee: null,
  exchangeRate: null,
  address: deposit.address,
  txHash: deposit.txHash,
  confirmations: deposit.confirmations,
  reason: deposit.reason,
  expiresAt: null,
  createdAt: deposit.createdAt.toISOString(),
  updatedAt: deposit.updatedAt.toISOString(),
  completedAt: deposit.completedAt?.toISOString() ?? null,
})
