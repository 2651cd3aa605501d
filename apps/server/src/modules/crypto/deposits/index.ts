// Deposits: what it does for the other modules and the edges.
export { auditDeposits, endOfDepositSlice, findCompletedTransfers } from './audit.ts'
export { type CancelDeposit, createCancelDeposit } from './cancel.ts'
export type { OnDepositCase } from './case.ts'
export { creditedToWallet, type Deposit, type DepositStatus } from './deposit.ts'
export { createFollowOrders, type FollowingDeps } from './follow.ts'
export {
  createGatewayDeposits,
  type DepositRate,
  GATEWAY_BOUNDS,
  type GatewayDeposits,
  leastOf,
  type QuotedDeposit,
} from './gateway.ts'
export { createReceiveNotice, type ReceiveNotice } from './notices.ts'
export {
  createOnrampDeposits,
  networksOf,
  type OnrampDeposits,
  type QuotedOnramp,
} from './onramp.ts'
export type { DepositContext, Depositor, OpenedDeposit } from './open-deposit.ts'
export type { OrderDetails } from './order-details.ts'
export type {
  DepositCurrency,
  GatewayCurrency,
  OnrampCoin,
  OnrampConfiguration,
  OnrampPayCurrency,
  OnrampPaymentMethod,
  OnrampProvider,
  PaymentGateway,
} from './ports.ts'
export { recoverDebts } from './recover-debts.ts'
export { compareStatement, type StatementCompared, type StatementDeps } from './statements.ts'
export { sumCredited } from './store/credits.ts'
export {
  findAccountsWithOpenDeposits,
  findDepositOf,
  findTenantDeposit,
  listDeposits,
  listTenantDeposits,
  pageDeposits,
  readDeposits,
} from './store/deposits.ts'
export { EXPORT_DEPOSITS } from './store/export.ts'
export { type FoundDeposit, findDeposits, findDepositsOfTransfers } from './store/find.ts'
export {
  decideHeld,
  findHeldPayment,
  type HeldPayment,
  type HeldState,
  listHeldOf,
  listHeldPayments,
  markOfHeldPayments,
} from './store/held.ts'
export {
  type CreditEntry,
  type ReversalEntry,
  readDepositEntries,
} from './store/history.ts'
export {
  findPrepayId,
  findProviderOrder,
  listWaitingOrders,
  ORDERS_DUE,
  readDueOrders,
} from './store/orders.ts'
export { explainDifference, type FoundDifference } from './store/statements.ts'
export {
  creditTransfer,
  failTransfer,
  recordTransfer,
  reverseTransfer,
  setConfirmations,
  type Transfer,
  type TransferCredit,
  type TransferFailure,
} from './transfer.ts'
