// A chain deposit as the scanner of a chain reports it. Each function is called in the scanner's transaction
// and is safe to repeat: a transfer becomes one deposit and is credited once.
import type { DecimalText } from './ports.ts'

/** Why a transfer is never credited as it stands. */
export type TransferFailure = 'unsupported_token' | 'below_minimum' | 'chain_reorg'

export interface Transfer {
  /** The caller's id of the transfer, or of a batch of small ones that is credited as one. */
  readonly transferId: string
  /** The owner of the address that was paid. */
  readonly accountId: string
  readonly chain: string
  /** Symbol, `USDT`, or for a token that we do not take, the address of its contract. */
  readonly token: string
  /** Units divided by 10^decimals; of an unsupported token the raw units. */
  readonly amountToken: DecimalText
  /** Our address. */
  readonly address: string
  readonly txHash: string
  readonly confirmations: number
  readonly at: Date
}

export interface TransferCredit {
  readonly transferId: string
  readonly confirmations: number
  /** US dollars for one token, in 10^-18, at this moment; a stable coin is 10^18. */
  readonly usdPerTokenE18: bigint
  /** Where the rate is from, stored with the credit. */
  readonly rateSources: readonly string[]
  readonly at: Date
}
