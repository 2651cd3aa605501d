// Operations: what an operator reads and does. The command line and the administrator's pages call the same
// functions.
export {
  changeAccountKey,
  changeDebtRecovery,
  changeFees,
  changeGlobalDefault,
  changeStatus,
  changeTier,
  deleteAccount,
  type IssuedKey,
  issueAccountKey,
  openMerchant,
  openPartner,
  renameAccount,
  revokeAccountKey,
  rotateAccountKey,
} from './accounts.ts'
export { type ActDeps, requireRight } from './act.ts'
export {
  type AdjustmentState,
  approveAdjustment,
  listAdjustments,
  type ProposedAdjustment,
  proposeAdjustment,
  readAdjustment,
  withdrawAdjustment,
} from './adjustments.ts'
export { type AuditScope, type BooksAuditRun, listBooksAudits, writeBooksAudit } from './books.ts'
export { resolveCase } from './cases.ts'
export { closeMerchantAccount } from './close-account.ts'
export {
  bookCorrection,
  type CorrectionPlan,
  type PlannedCorrection,
  planCorrection,
} from './correction.ts'
export { decideHeldPayment, explainStatement, type HeldDecision } from './deposits.ts'
export { type Explanation, explainTrade, type OpenCase } from './explain.ts'
export { type AccountExplanation, explainToAccount } from './explain-to-account.ts'
export { find, type Hit, type HitKind } from './find.ts'
export {
  type CustodyDepositInspection,
  type DepositInspection,
  inspectCustodyDeposit,
  inspectDeposit,
  inspectWithdrawal,
  readTransactionHold,
  type WithdrawalInspection,
} from './inspect-money.ts'
export { inspectTrade, type TimelineLine, type TradeInspection } from './inspect-trade.ts'
export { beginLook, endLook } from './look.ts'
export {
  notifyLowBalances,
  readBalanceThreshold,
  type ShownThreshold,
  setBalanceThreshold,
} from './low-balance.ts'
export {
  type HealthStatus,
  type MarketHealthEntry,
  type MarketsHealth,
  type MarketWorker,
  readMarketHealth,
  type WorkerStatus,
} from './market-health.ts'
export {
  acceptIntoAccount,
  changeMemberRole,
  deleteLogin,
  inviteToAccount,
  leaveAccount,
  openAdministrator,
  removeFromAccount,
  takeBackInvitation,
} from './members.ts'
export {
  type Adjustment,
  type PlannedPosting,
  type PlannedRelease,
  planAdjustment,
  planRelease,
  postingOfAdjustment,
  releaseStrandedMoney,
} from './money.ts'
export { listOverdue, type OverdueKind } from './overdue.ts'
export {
  clearPayoutCallback,
  notePayoutCallbackTest,
  rotatePayoutCallbackSecret,
  setPayoutCallback,
} from './payout-callback.ts'
export {
  changeDestinations,
  type DestinationChange,
  decideNoEffect,
  recordLostPayment,
  refuseWithdrawal,
  releaseWithdrawal,
  settleDisplacedPayment,
  switchWallet,
} from './payouts.ts'
export {
  type JobStatus,
  listQueue,
  type Queue,
  type QueueRow,
  type Queues,
  readQueues,
} from './queues.ts'
export { removeLostFactors, removeSecondFactor } from './second-factors.ts'
export { changeBand, changeItemPolicy, changePolicy } from './selling-policy.ts'
export {
  SERVICE_TOPICS,
  type ServiceChanges,
  type ServiceTopic,
  type ServiceWatch,
  watchService,
} from './service-changes.ts'
export { readServiceWallets, type ServiceWallet } from './service-wallets.ts'
export { forgetWorker, type WorkerBeat, writeBeat } from './store.ts'
export { readSuppliers, type Supplier } from './suppliers.ts'
export {
  forgetBot,
  haltChain,
  namePayment,
  openPlacing,
  pauseTrading,
  resumeChain,
  resumeTrading,
  setWaitingLimit,
  switchChain,
  switchMarket,
} from './switches.ts'
export { readTradeHistory, type TradeHistory } from './trade-history.ts'
export { countWaiting } from './waiting.ts'
export {
  recoverDeliveries,
  removeWebhookEndpoint,
  resendDelivery,
  retryParkedDeliveries,
  rotateWebhookSecret,
  setWebhookEndpoint,
  testWebhook,
} from './webhooks.ts'
export { botOf, type ItemPlace, type MoneyAt } from './whereabouts.ts'
