// Chains: what it does for the other modules.
export {
  type Address,
  assetOf,
  CHAIN_IDS,
  type ChainId,
  type Hash,
  NATIVE_ADDRESS,
  PRICED_ASSETS,
  type PricedAsset,
  TOKEN_SYMBOLS,
  type TokenSymbol,
} from './chain.ts'
export type {
  Block,
  BlockHeader,
  ChainNode,
  InternalTransfer,
  NativeSend,
  Price,
  PriceSource,
  Receipt,
  ReceiptReader,
  TransferLog,
} from './ports.ts'
