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
} from './acts/accounts.ts'
export { type ActDeps, requireRight } from './acts/act.ts'
export {
  type AdjustmentState,
  approveAdjustment,
  listAdjustments,
  type ProposedAdjustment,
  proposeAdjustment,
  readAdjustment,
  withdrawAdjustment,
} from './acts/adjustments.ts'
export { resolveCase, resolveUnmatchedPurchases } from './acts/cases.ts'
export { importItems } from './acts/catalog.ts'
export { closeMerchantAccount } from './acts/close-account.ts'
export {
  bookCorrection,
  type CorrectionPlan,
  type PlannedCorrection,
  planCorrection,
} from './acts/correction.ts'
export { decideHeldPayment, explainStatement, type HeldDecision } from './acts/deposits.ts'
export { recordDrillPurchase } from './acts/drill.ts'
export { beginLook, endLook } from './acts/look.ts'
export {
  notifyLowBalances,
  readBalanceThreshold,
  type ShownThreshold,
  setBalanceThreshold,
} from './acts/low-balance.ts'
export {
  addMarketAccount,
  changeMarketAccount,
  type IsTaken,
  rotateMarketKey,
} from './acts/market-accounts.ts'
export {
  acceptIntoAccount,
  changeMemberRole,
  deleteLogin,
  inviteToAccount,
  leaveAccount,
  openAdministrator,
  removeFromAccount,
  takeBackInvitation,
} from './acts/members.ts'
export {
  type Adjustment,
  type PlannedPosting,
  type PlannedRelease,
  planAdjustment,
  planRelease,
  postingOfAdjustment,
  releaseStrandedMoney,
} from './acts/money.ts'
export { CLOSE_BUSINESS, OPEN_BUSINESS } from './acts/open-business.ts'
export { openMerchantAccount } from './acts/open-merchant-account.ts'
export {
  clearPayoutCallback,
  notePayoutCallbackTest,
  rotatePayoutCallbackSecret,
  setPayoutCallback,
} from './acts/payout-callback.ts'
export {
  changeDestinations,
  type DestinationChange,
  decideNoEffect,
  recordLostPayment,
  refuseWithdrawal,
  releaseWithdrawal,
  settleDisplacedPayment,
  switchWallet,
} from './acts/payouts.ts'
export {
  approveLoss,
  type LossApproval,
  type LossProposal,
  planLosses,
  proposeLoss,
  type RestorePlan,
} from './acts/restored.ts'
export { removeLostFactors, removeSecondFactor } from './acts/second-factors.ts'
export { changeBand, changeItemPolicy, changePolicy } from './acts/selling-policy.ts'
export {
  forgetBot,
  haltChain,
  namePayment,
  openPlacing,
  pauseTrading,
  recordCopy,
  resumeChain,
  resumeTrading,
  setWaitingLimit,
  switchChain,
  switchMarket,
} from './acts/switches.ts'
export {
  createWebhookEndpoint,
  recoverDeliveries,
  removeWebhookEndpoint,
  resendDelivery,
  retryDeadLetters,
  rotateWebhookSecret,
  setWebhookEndpoint,
  testWebhook,
  updateWebhookEndpoint,
  withoutSecrets,
} from './acts/webhooks.ts'
export { foldFigures } from './figures/fold.ts'
export {
  type Figures,
  type PeriodFigures,
  readPartnerFigures,
  readServiceFigures,
  type ServiceBucket,
} from './figures/read.ts'
export {
  type AuditScope,
  type BooksAuditRun,
  listBooksAudits,
  writeBooksAudit,
} from './inspect/books.ts'
export { type Explanation, explainTrade, type OpenCase } from './inspect/explain.ts'
export { type AccountExplanation, explainToAccount } from './inspect/explain-to-account.ts'
export { find, type Hit, type HitKind } from './inspect/find.ts'
export {
  type CustodyDepositInspection,
  type DepositInspection,
  inspectCustodyDeposit,
  inspectDeposit,
  inspectWithdrawal,
  readTransactionHold,
  type WithdrawalInspection,
} from './inspect/inspect-money.ts'
export { inspectTrade, type TimelineLine, type TradeInspection } from './inspect/inspect-trade.ts'
export { listPlacedTrades, type PlacedTrade } from './inspect/list-trades.ts'
export {
  type HealthStatus,
  type MarketHealthEntry,
  type MarketsHealth,
  type MarketWorker,
  readMarketHealth,
  type WorkerStatus,
} from './inspect/market-health.ts'
export { listOverdue, type OverdueKind } from './inspect/overdue.ts'
export {
  forgetPartyCallers,
  listPartyCallers,
  notePartyCaller,
  PARTIES,
} from './inspect/party-callers.ts'
export {
  type JobStatus,
  listQueue,
  type Queue,
  type QueueRow,
  type Queues,
  readQueues,
} from './inspect/queues.ts'
export {
  SERVICE_TOPICS,
  type ServiceChanges,
  type ServiceTopic,
  type ServiceWatch,
  watchService,
} from './inspect/service-changes.ts'
export {
  readServiceStatus,
  type ServiceParts,
  type ServiceReadings,
  type ServiceStatusDeps,
} from './inspect/service-status.ts'
export { readServiceWallets, type ServiceWallet } from './inspect/service-wallets.ts'
export { forgetWorker, type WorkerBeat, writeBeat } from './inspect/store.ts'
export {
  type PacedAccount,
  readPacedAccounts,
  readSupplierAccounts,
  type SupplierAccount,
} from './inspect/supplier-accounts.ts'
export { readSuppliers, type Supplier } from './inspect/suppliers.ts'
export { readTradeHistory, type TradeHistory } from './inspect/trade-history.ts'
export { countWaiting } from './inspect/waiting.ts'
export { botOf, type ItemPlace, type MoneyAt } from './inspect/whereabouts.ts'
