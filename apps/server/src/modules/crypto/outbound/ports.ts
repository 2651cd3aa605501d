// What outbound needs from outside the service: a node of a chain that takes transactions, and the holder of
// the keys. Adapters translate; they know nothing of wallets, withdrawals or sweeps.
import type { Address, BaseUnits, ChainName, Hex } from '#kernel/chain'

/** A transaction of type 2 (EIP-1559). Amounts in wei, gas in units of gas. */
export interface UnsignedTransaction {
  readonly chainId: number
  readonly nonce: number
  readonly to: Address
  readonly value: bigint
  readonly data: Hex
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** What a node may be asked to try: a call that was neither numbered nor priced. */
export interface Call {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly data: Hex
}

// ---------------------------------------------------------------- the signer

/** `hot` pays withdrawals, `gas` funds sweeps, `deposit/<i>` is deposit address number i. */
export type KeyRef = 'hot' | 'gas' | `deposit/${number}`

export type SigningAnswer =
  | { readonly kind: 'signed'; readonly from: Address; readonly raw: Hex; readonly hash: Hex }
  /** The policy of the signer forbids it; certain, and the same for the same transaction. */
  | { readonly kind: 'refused'; readonly rule: string }
  /** Nothing is known of a signature: it may have been made. The same request may be sent again. */
  | { readonly kind: 'unavailable'; readonly detail: string }

export interface Signer {
  address(key: KeyRef): Promise<Address>
  /**
   * `depositIndex` only with key `gas`: the number of the deposit address that is funded. An adapter whose
   * signatures differ from call to call is allowed: what was signed first is persisted and sent.
   */
  sign(request: {
    readonly key: KeyRef
    readonly depositIndex: number | null
    readonly transaction: UnsignedTransaction
  }): Promise<SigningAnswer>
}

// ---------------------------------------------------------------- the node

/** What the next block is likely to ask, in wei for a unit of gas. */
export interface FeeEstimate {
  /** Of the newest block. */
  readonly baseFeePerGas: bigint
  /** The floor of the chain included (bsc). */
  readonly maxPriorityFeePerGas: bigint
  /**
   * Wei that a transfer pays beside its gas, at most: for its data on the chain below, and to the operator of
   * the chain (OP stack); 0 where there is none.
   */
  readonly dataFee: bigint
  /**
   * Units of gas that a transfer uses for its data where the chain takes that price in gas (arbitrum); 0
   * elsewhere. What `simulate` answers has them already.
   */
  readonly dataGas: bigint
}

export type SimulationAnswer =
  /** `gas` is what it would use, without a margin. */
  | { readonly kind: 'succeeds'; readonly gas: bigint }
  /** Certain: executed on the newest state, it fails. So does a `transfer` that returns false. */
  | { readonly kind: 'reverts'; readonly reason: string }
  | { readonly kind: 'insufficient_funds' }
  | { readonly kind: 'unknown'; readonly detail: string }

/**
 * What the node answered to a raw transaction. Only `accepted` and `already_known` say that it has the
 * transaction now; `nonce_too_low` says that one with this nonce is mined, perhaps this one; after `unknown`
 * (timeout, 5xx, lost answer) it may have it.
 */
export type SendAnswer =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'already_known' }
  | { readonly kind: 'nonce_too_low' }
  /** Another transaction with this nonce pays nearly as much: a replacement must pay more. */
  | { readonly kind: 'underpriced' }
  /** Below the base fee or below the floor of the node. */
  | { readonly kind: 'fee_too_low' }
  | { readonly kind: 'insufficient_funds' }
  | { readonly kind: 'unknown'; readonly detail: string }

export interface ReceiptLog {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
}

export interface Receipt {
  readonly hash: Hex
  readonly status: 'success' | 'reverted'
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly gasUsed: bigint
  /** Wei that the sender paid in all: gas at its effective price, and what its chain takes beside it. */
  readonly feePaid: bigint
  readonly logs: readonly ReceiptLog[]
}

/** A transaction that is in a block, ours or not. */
export interface MinedTransaction {
  readonly from: Address
  readonly nonce: number
  readonly blockNumber: bigint
}

/** What became of transactions, also at a second node that another operator runs. */
export interface TransactionReader {
  /** Null: the node does not know it, or it is in no block. */
  mined(hash: Hex): Promise<MinedTransaction | null>
  receipt(hash: Hex): Promise<Receipt | null>
  /**
   * Transactions of an address that are mined: in the newest block, or up to and with a block; `pending`:
   * with those that the node has and that are in no block yet.
   */
  nonceOf(address: Address, at?: bigint | 'pending'): Promise<number>
}

/** One chain. Calls have deadlines of their own; they throw when no node of the chain answers. */
export interface BroadcastNode extends TransactionReader {
  readonly chain: ChainName
  /** Checked when the adapter connects. */
  readonly chainId: number
  /** Never cached: the number of the newest block. */
  headNumber(): Promise<bigint>
  /** Of the block with this number in the chain now; null: there is none yet. */
  blockHash(number: bigint): Promise<Hex | null>
  /**
   * The newest block that counts as final for payouts, by the policy of the chain (a depth, `safe` or
   * `finalized`); what is mined up to and with it is confirmed.
   */
  confirmedNumber(): Promise<bigint>
  estimateFees(): Promise<FeeEstimate>
  simulate(call: Call): Promise<SimulationAnswer>
  /** One answer for each call, in their order. */
  simulateAll(calls: readonly Call[]): Promise<SimulationAnswer[]>
  send(raw: Hex): Promise<SendAnswer>
  /** Base units, in the newest block or after a given one; `token` null for the native coin. */
  balanceOf(address: Address, token: Address | null, at?: bigint): Promise<BaseUnits>
  /** A node of another operator, for what one node's word is not enough for; null where there is none. */
  readonly second: TransactionReader | null
}
