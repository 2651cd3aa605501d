// Payouts: withdrawals of crypto, their approval, and what merchants hold in payout custody.
export { type ApprovingDeps, createApproving } from './approve.ts'
export { type CustodyBalance, isApprovedAtEndpoint, readCustody } from './balances.ts'
export {
  type AcceptedLine,
  type BatchLine,
  type BatchRequest,
  type BatchState,
  judgeLines,
  submitBatch,
} from './batch.ts'
export { custodyHandler } from './custody-deposit.ts'
export { recordLostPayment } from './lost-payment.ts'
export type { ApprovalCallback, CallbackAnswer, PayableToken, PayoutNetworks } from './ports.ts'
export { type KeptCustodyQuote, quotePayout } from './quote.ts'
export {
  decideNoEffect,
  type PayoutLimits,
  type RefuseAnswer,
  refuseWithdrawal,
  releaseHeld,
} from './release.ts'
export { refuseUnvalued } from './request.ts'
export { payoutListener } from './settle.ts'
export {
  APPROVALS_DUE,
  type ApprovalAttempt,
  forgetApprovalBodies,
  listApprovalAttempts,
  listWaitingWithdrawals,
} from './store/approvals.ts'
export {
  auditCustodyDeposits,
  auditPayouts,
  auditWithdrawals,
  endOfWithdrawalSlice,
  findCompletedDeposits,
} from './store/audit.ts'
export {
  type CountedBatch,
  listBatches,
  listBatchWithdrawals,
  readBatch,
} from './store/batches.ts'
export { type CustodyDeposit, listCustodyDeposits, readCustodyDeposits } from './store/deposits.ts'
export { EXPORT_WITHDRAWALS } from './store/export.ts'
export { type FoundPayout, findPayouts } from './store/find.ts'
export {
  addDestination,
  type Callback,
  type Destination,
  findMerchantSettings,
  listDestinations,
  lockMerchantSettings,
  type MerchantSettings,
  removeDestination,
  setEndpointConfirmed,
  setOnlyKnownDestinations,
  writeCallback,
} from './store/merchants.ts'
export { purgeQuotes } from './store/quotes.ts'
export {
  findOwnersWithOpenWithdrawals,
  listHeld,
  listWithdrawals,
  markOfHeld,
  pageWithdrawals,
  pruneApprovedSums,
  readWithdrawalFigures,
  readWithdrawals,
  sumConfirmed,
} from './store/withdrawals.ts'
export {
  type CustodyQuote,
  type CustodyRequest,
  createSubmitting,
  quoteFromCustody,
  type SubmitDeps,
  type SubmittingDeps,
} from './submit.ts'
export {
  createSubmittingFromWallet,
  quoteWithdrawalFees,
  type WalletDeps,
  type WalletRequest,
  type WalletWithdrawal,
  type WalletWithdrawals,
} from './submit-from-wallet.ts'
export {
  centsOfUnits,
  destinationOf,
  parseDestination,
  type WalletStage,
  type Withdrawal,
  walletStageOf,
} from './withdrawal.ts'
