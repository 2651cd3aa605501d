// Chains: what it does for the rest of the service.
export { type AbandonDeps, abandonReplaced } from './abandon.ts'
export { type AddressFor, createAddressFor, findForeignAddresses } from './address.ts'
export {
  ACCEPTED_TOKENS,
  type AcceptedToken,
  assetOf,
  CHAIN_IDS,
  type ChainId,
  NATIVE_ADDRESS,
  PRICED_ASSETS,
  type PricedAsset,
} from './chain.ts'
export {
  BLOCK_REASONS,
  type BlockReason,
  type ConfirmDeps,
  type Confirmed,
  confirmTransfers,
} from './confirm.ts'
export { type ChainRules, productionRules, sandboxRules } from './policy.ts'
export type {
  AddressDeriver,
  BalanceReader,
  Block,
  BlockHeader,
  ChainNode,
  InternalTransfer,
  NativeSend,
  Outcomes,
  Price,
  PriceSource,
  Receipt,
  ReceiptReader,
  TransferLog,
} from './ports.ts'
export { createPriceReader, type PriceReading, type ReadPrice } from './price.ts'
export type { Purpose } from './read-transfers.ts'
export {
  type ChainReconciled,
  HELD_ROLES,
  isAtRest,
  type ReconcileDeps,
  reconcileChain,
} from './reconcile.ts'
export { type ScanDeps, type Scanned, scanChain } from './scan.ts'
export { areOurAddresses, listWallets, registerWallet, skipAddresses } from './store/addresses.ts'
export {
  auditBatches,
  auditChains,
  auditDust,
  auditSweeps,
  auditTransfers,
  endOfBatchSlice,
  endOfDustSlice,
  endOfSweepSlice,
  endOfTransferSlice,
  listCredited,
} from './store/audit.ts'
export {
  type ChainState,
  findCursor,
  findHalt,
  findHalts,
  haltChain,
  listChains,
  listTokenContracts,
  listTokens,
  resumeChain,
} from './store/chains.ts'
export { findOwnerOfAddress, findTransfersOfHash } from './store/find.ts'
export { type Holding, listHoldings, namePayment, writeHoldings } from './store/holdings.ts'
export type { SweepTarget } from './store/sweeps.ts'
export {
  findTransfersInChain,
  TRANSFERS_DUE,
  type Transfer,
  type TransferState,
} from './store/transfers.ts'
export { listUnsupported, type UnsupportedToken } from './store/unsupported.ts'
export { listOpenSweeps, listPendingTransfers, listScans } from './store/waiting.ts'
export {
  gasListener,
  type SweepDeps,
  sweepDeposits,
  sweepListener,
} from './sweep.ts'
export type {
  FailReason,
  SeenTransfer,
  TransferCredit,
  TransferHandler,
  TransferHandlers,
  Unclaimed,
} from './transfer-handler.ts'
export { findUnseen, type Unseen, type UnseenDeps, type UnseenRound } from './unseen.ts'
