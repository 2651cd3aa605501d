// What chains needs from outside: nodes of the networks and sources of prices. An adapter knows nothing of
// deposits. Addresses and hashes are lower case hex; amounts are base units.
import type { Address, Hex } from '#kernel/chain'
import type { ChainId, PricedAsset } from './chain.ts'

export interface BlockHeader {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  /** When the chain says that it was made. */
  readonly at: Date
}

/** A top-level transaction that sends native coin. Whether it succeeded is in its receipt. */
export interface NativeSend {
  readonly txHash: Hex
  readonly from: Address
  readonly to: Address
  readonly units: bigint
}

export interface Block extends BlockHeader {
  /** Transactions with a recipient and a value above zero, in their order. */
  readonly nativeSends: readonly NativeSend[]
}

/**
 * One `Transfer` event, as the node gives it: topics and data are not judged by the adapter. Logs that are
 * marked as removed are left out.
 */
export interface TransferLog {
  readonly txHash: Hex
  readonly blockHash: Hex
  /** Position in the block. */
  readonly logIndex: number
  /** The contract that emitted it. */
  readonly contract: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
}

export interface Receipt {
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** False: the transaction was included and reverted. */
  readonly succeeded: boolean
  readonly from: Address
  /** Null: it created a contract. */
  readonly to: Address | null
  /** Its `Transfer` events, in their order. */
  readonly transferLogs: readonly TransferLog[]
}

/** Whether transactions of one block succeeded, by their hashes. */
export type Outcomes = ReadonlyMap<Hex, boolean>

/** Native coin that a contract sent inside of a transaction. Reverted subtrees are left out. */
export interface InternalTransfer {
  readonly txHash: Hex
  /** Position in the tree of calls, for example `0.2.1`; the top-level call itself is never listed. */
  readonly path: string
  readonly from: Address
  readonly to: Address
  readonly units: bigint
}

/** A check of one transaction, also at a second node that another operator runs. */
export interface ReceiptReader {
  /** Null: the node does not know the transaction, or has not included it. */
  receipt(txHash: Hex): Promise<Receipt | null>
  /**
   * Native coin that the transaction itself sends, which its receipt does not say. Null: the node does not
   * know it.
   */
  sentUnits(txHash: Hex): Promise<bigint | null>
}

/** What contracts sent inside of the transactions of a block, also at a second node. */
export interface TraceReader {
  /** By hash. Null: the node does not know the block. 'unsupported': it offers no traces. */
  internalTransfers(blockHash: Hex): Promise<readonly InternalTransfer[] | null | 'unsupported'>
}

/** What addresses hold, also at a second node that another operator runs. */
export interface BalanceReader {
  /**
   * What each holder has after the block with this hash, in the order of the queries; `contract` null asks
   * for native coin. Null: the node does not know the block, or no longer keeps its state.
   */
  balances(
    queries: readonly { readonly holder: Address; readonly contract: Address | null }[],
    atBlock: Hex,
  ): Promise<readonly bigint[] | null>
}

export type SecondNode = ReceiptReader & BalanceReader & TraceReader

/**
 * A chain, over one or several RPC addresses. Each call has a deadline and goes on to the next address
 * when one does not answer; a call that none answers rejects, and an address with another chain id is never
 * used. Nothing is cached but the newest block, from `head` until it is asked for.
 */
export interface ChainNode extends ReceiptReader, BalanceReader, TraceReader {
  readonly chain: ChainId
  /** The newest block of the address that answered, which may lag behind another one. */
  head(): Promise<BlockHeader>
  /** Null: the node does not know such a block (yet, or any more). */
  header(at: bigint | Hex): Promise<BlockHeader | null>
  block(number: bigint): Promise<Block | null>
  /** By block hash (EIP-234). Null: the node does not know the block. */
  transferLogs(blockHash: Hex): Promise<readonly TransferLog[] | null>
  /**
   * Of each transaction of a block, in one call. Null: the node does not know the block. 'unsupported': it
   * offers no receipts of whole blocks, or not of one as large as this.
   */
  outcomes(blockHash: Hex): Promise<Outcomes | null | 'unsupported'>
  /** The block that the tag stands for; null where the chain does not have the tag. */
  tag(name: 'safe' | 'finalized'): Promise<BlockHeader | null>
  /** For amounts that one node's word is not enough for; null where there is no second one. */
  readonly second: SecondNode | null
}

export interface Price {
  /** US dollars for one whole token, in units of 1e-8. */
  readonly usdE8: bigint
  /** When the source made it. */
  readonly at: Date
}

export interface PriceSource {
  /** Stored with every amount that it helped to value. */
  readonly id: string
  /** How old its prices may be, where it makes them less than once a minute; else one minute. */
  readonly maxAgeMs?: number
  /** Null: it has no price for the asset. Rejects when it does not answer. */
  read(asset: PricedAsset): Promise<Price | null>
}

/** The deposit addresses of one account xpub, by their index. */
export interface AddressDeriver {
  /** With the case of its checksum (EIP-55). */
  address(index: number): Address
}
