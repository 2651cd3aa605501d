// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.
import type { Deposit, Withdrawal, WithdrawalStatus } from './shared.ts'

export interface CreatePayoutBatchBody {
  /** Your reference of the batch. The same one again returns the first answer. */
  externalId: string
  /** In the order in which they are judged. Each has an `externalId` of its own. */
  withdrawals: readonly CreateWithdrawalBody[]
}

export interface CreateWithdrawalBody {
  /** Your reference. The same one again returns the first answer. */
  externalId: string
  /** `ethereum`, `base`, `arbitrum`, `optimism` or `bsc`. */
  chain: string
  /** The token. */
  token: PayoutToken
  /** An address outside of the service. In mixed case it must have a valid EIP-55 checksum. */
  destination: string
  /** From 100 to 10,000,000, valued at the rate of the request. */
  amountCents: number
  /** A sub-user that it is for: attribution, it limits nothing. */
  forUser?: string | undefined
}

export interface CustodyDepositList {
  /** The rows of this page, or the parts of this object. */
  items: Deposit[]
  /** The `cursor` of the next slice; null on the last one. */
  nextCursor: string | null
}

export interface PayoutAddress {
  /** One address on all chains. */
  address: string
  /** Chains that are accepted. */
  chains: string[]
  /** Tokens that are accepted. */
  tokens: string[]
}

export interface PayoutBalance {
  /** The chain. */
  chain: string
  /** The token. */
  token: string
  /** The contract of the token. */
  tokenAddress: string
  /** Its value now, rounded down. */
  amountCents: number
  /** Base units of the token on its chain. */
  amountWei: string
  /** What has arrived and is not confirmed yet. */
  pendingCents: number
}

export interface PayoutBalances {
  /** The value of all of it now, in US cents. */
  totalCents: number
  /** One row for each chain and token. */
  balances: PayoutBalance[]
}

export interface PayoutBatch {
  /** The id of this object. */
  id: string
  /** Your own reference. */
  externalId: string
  /** How many withdrawals it has. */
  total: number
  /** How many are in each status; a status that none is in is absent. */
  byStatus: {
    /** Your callback is asked for them. */
    pending_callback?: number
    /** Approved, and not sent yet. */
    queued?: number
    /** Sent to their chain. */
    broadcast?: number
    /** Paid for good. */
    confirmed?: number
    /** Not paid: back in custody. */
    refunded?: number
  }
  /** When it was created. */
  createdAt: string
}

export interface PayoutQuote {
  /** What the destination gets, in base units of the token. */
  amountWei: string
  /** The network fee, taken from custody on top. */
  feeCents: number
  /** The same in base units of the token. */
  feeWei: string
  /** A withdrawal of this amount, chain and token gets these figures for so long. */
  validForSeconds: number
}

export interface PayoutQuoteBody {
  /** `ethereum`, `base`, `arbitrum`, `optimism` or `bsc`. */
  chain: string
  /** The token. */
  token: PayoutToken
  /** From 100 to 10,000,000, valued at the rate of the request. */
  amountCents: number
}

export type PayoutToken = 'USDT' | 'USDC' | 'NATIVE'

export interface WithdrawalList {
  /** The rows of this page, or the parts of this object. */
  items: Withdrawal[]
  /** The `cursor` of the next slice; null on the last one. */
  nextCursor: string | null
}

/** The query of GET /payout/crypto/withdrawals. */
export interface ListWithdrawalsQuery {
  status?: WithdrawalStatus | undefined
  externalId?: string | undefined
  forUser?: string | undefined
  /** The previous answer’s nextCursor. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}

/** The query of GET /payout/crypto/balances. */
export interface GetPayoutBalancesQuery {
  forUser?: string | undefined
}

/** The query of GET /payout/crypto/address. */
export interface GetPayoutAddressQuery {
  forUser?: string | undefined
}

/** The query of GET /payout/crypto/deposits. */
export interface ListCustodyDepositsQuery {
  forUser?: string | undefined
  /** The previous answer’s nextCursor. */
  cursor?: string | undefined
  /** Rows in one answer. */
  limit?: number | undefined
}
