// Outbound: transactions that we sign and send.
export { findUnknownPayments } from './compare.ts'
export type { OutboundAlarm, OutboundDeps, SendingDeps } from './deps.ts'
export { type Effect, readEffects } from './effects.ts'
export { nativeHeldBy } from './held.ts'
export type { Accepted, Finished, Listeners, OutboundListener } from './listener.ts'
export type { BroadcastNode, FeeEstimate, KeyRef, Signer, UnsignedTransaction } from './ports.ts'
export { type CancelAnswer, cancel, submit } from './queue.ts'
export { type Resent, resendFinal } from './resend.ts'
export { createSending } from './send.ts'
export { findLostAttempts } from './store/attempts.ts'
export { auditOutbound, endOfTransactionSlice } from './store/audit.ts'
export { isUnderWay, listUnsettled } from './store/effects.ts'
export { listDisplacedFinals, readLeftChain, settleDisplaced } from './store/final.ts'
export { findPayoutOfHash, findSent } from './store/find.ts'
export { readByReferences, type Transaction } from './store/transactions.ts'
export {
  type LowWallet,
  listFrozenWallets,
  listHeldBack,
  listLowWallets,
  listServiceWallets,
  listUnfinished,
  listWallets,
  type NativeEffect,
  type OutboundFigure,
  type Outflow,
  type QueuedUnits,
  readFigures,
  readNativeEffects,
  readOutflows,
  readQueuedUnits,
  TRANSACTIONS_DUE,
  TRANSACTIONS_WATCHED,
  type Wallet,
} from './store/wallets.ts'
export { createTracking, type TrackingDeps } from './track.ts'
export {
  firstFees,
  gasLimitOf,
  type NewTransaction,
  type Purpose,
  paymentGasOf,
} from './transaction.ts'
export { haltWallet, reopenWallet } from './wallets.ts'
