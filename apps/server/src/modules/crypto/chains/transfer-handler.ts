// What becomes of a transfer outside of this module: a deposit of a user, or of a merchant's payout custody.
// Each function is called in the transaction that changes the transfer, and may be called again for the same.
import type { CustodyAccount } from '#custody'
import type { Tx } from '#infra/database/db'
import { Bug } from '#kernel/assert'
import type { Cents } from '#kernel/money'
import { isOwned, type Purpose, type WalletPurpose } from './read-transfers.ts'

export interface SeenTransfer {
  /** Of a transfer, of a batch of small ones, or of the first transfer of an unsupported token. */
  readonly transferId: string
  readonly ownerId: string
  readonly chain: string
  /** A symbol, or the contract of a token that is not known by name. */
  readonly token: string
  readonly units: bigint
  readonly decimals: number
  readonly address: string
  readonly txHash: string
  readonly at: Date
}

export interface TransferCredit {
  readonly transferId: string
  readonly ownerId: string
  readonly chain: string
  readonly token: string
  readonly units: bigint
  readonly confirmations: bigint
  /** Rounded down; null where there is no price. */
  readonly value: Cents | null
  /** US dollars for one token in 1e-8; null where the credit is in kind and no price was needed. */
  readonly usdE8: bigint | null
  readonly rateSources: readonly string[]
  readonly at: Date
}

/** A credit that its account cannot have, because it was deleted: it is put aside for an operator. */
export interface Unclaimed {
  readonly depositId: string
  readonly accountId: string
}

export type FailReason = 'unsupported_token' | 'below_minimum' | 'chain_reorg'

export interface TransferHandler {
  /** Refused below the chain's minimum and valued in cents; else credited in kind whatever it is worth. */
  readonly isValued: boolean
  /**
   * Who has in kind what a transfer to this owner's address brings; the same for its arrival and its return.
   * Asked for payout custody only, before it is credited.
   */
  holderOf(tx: Tx, transfer: { transferId: string; ownerId: string }): Promise<CustodyAccount>
  record(tx: Tx, transfer: SeenTransfer): Promise<void>
  /** For reading only. */
  noteConfirmations(
    tx: Tx,
    seen: readonly { readonly transferId: string; readonly confirmations: bigint }[],
  ): Promise<void>
  /** Its block was replaced: its confirmations begin again. */
  blockReplaced(tx: Tx, transferId: string, at: Date): Promise<void>
  /** Null: its account has it, or had it before this call. */
  credit(tx: Tx, credit: TransferCredit): Promise<Unclaimed | null>
  /** Never credited as it stands. */
  fail(tx: Tx, transferId: string, reason: FailReason, at: Date): Promise<void>
  /** A credited one that is no longer in the chain. */
  reverse(tx: Tx, transferId: string, at: Date): Promise<void>
}

export type TransferHandlers = Readonly<Record<Purpose, TransferHandler>>

/** Of a wallet of the service: beside its posting in kind nothing follows from a refill. */
const REFILL: TransferHandler = {
  isValued: false,
  holderOf: () => Promise.reject(new Bug('a refill has no holder in kind')),
  record: async () => {},
  noteConfirmations: async () => {},
  blockReplaced: async () => {},
  credit: async () => null,
  fail: async () => {},
  reverse: async () => {},
}

export const handlerFor = (
  handlers: TransferHandlers,
  purpose: Purpose | WalletPurpose,
): TransferHandler => (isOwned(purpose) ? handlers[purpose] : REFILL)
