// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface Charm {
  name: string
  pattern?: number
  iconUrl: string
}

export type Currency = 'USD' | 'EUR'

export interface CustodyDepositEventData {
  deposit: Deposit
  forUserExternalId: string | null
}

export interface Deposit {
  id: string
  userId: string
  userExternalId: string | null
  method: DepositMethod
  status: DepositStatus
  /** Of the wallet. */
  currency: Currency
  token: string | null
  chain: string | null
  /** What was asked for, in tokens. */
  payAmountToken: string | null
  /** What has arrived and is confirmed. */
  receivedAmountToken: string | null
  /** What the quote promised, or what was credited, in USD. */
  receiveAmountUsd: number | null
  /**
   * In the wallet’s currency, less what was taken back. 0 when the account had been deleted: the
   * money is put aside.
   */
  creditedAmount: number | null
  /** The provider’s, in USD. */
  fee: number | null
  /** US dollars for one token, or for one unit of the currency that a card pays in. */
  exchangeRate: number | null
  address: string | null
  txHash: string | null
  confirmations: number | null
  /** Why it failed, or what its provider is waiting for. */
  reason: string | null
  expiresAt: string | null
  createdAt: string
  updatedAt: string
  completedAt: string | null
}

export interface DepositEventData {
  deposit: Deposit
}

export type DepositMethod = 'gateway' | 'onramp' | 'crypto'

export type DepositStatus =
  | 'initiated'
  | 'pending'
  | 'completed'
  | 'partial'
  | 'expired'
  | 'cancelled'
  | 'refunded'
  | 'failed'

export interface Doppler {
  /** True for an item of the Doppler family. */
  status: boolean
  /** The phase. */
  name: string
  paintIndex?: number
}

export interface EventRefund {
  /** The id of the refunded item in the trade. */
  itemId: string
  externalId?: string
  buyerFault: boolean
  /** Returned to the wallet, fees included, in USD. */
  refunded: number
  /** Withheld for a fault of the buyer, in USD. */
  penalty: number
}

export interface FundBody {
  /** In the merchant’s currency. */
  amount: string
}

export interface FundResponse {
  /** The ledger row, the same in both accounts’ ledgers. */
  transactionId: string
  /** True when this repeats an earlier answer. */
  idempotent: boolean
}

export interface ItemRefund {
  /** Returned to the buyer; 0 when the user reverted the delivery. */
  amount: number
  /** Withheld for a fault of the buyer. amount + penalty = price. */
  penalty: number
  buyerFault: boolean
}

export interface RefundEventData {
  trade: Trade
  refund: EventRefund
}

export type RevertedBy = 'supplier' | 'user'

export interface Settlement {
  houseFeeCents: number
  merchantFeeCents: number
}

export interface SettlementEventData {
  trade: Trade
  settlement: Settlement
}

export interface Trade {
  id: string
  type: TradeType
  /** The account that buys or sells. */
  userId: string
  /** The platform account of the buyer or seller. */
  platformId: string
  tradeUrl: string
  /** Of a trade with one item; else see the items. */
  offerId?: string
  externalId?: string
  status: TradeStatus
  game: string
  items: TradeItem[]
  summary: TradeSummary
  totalPrice: number
  currency: Currency
  /** The latest of the items’ hold ends. */
  holdEndDate?: string
  settledAt?: string
  revertedBy?: RevertedBy
  /** The first failed item’s code when the whole trade failed. */
  error?: string
  createdAt: string
  updatedAt: string
}

export interface TradeEventData {
  trade: Trade
}

export type TradeFailureCode =
  | 'LISTING_UNAVAILABLE'
  | 'NO_LISTING_AT_PRICE'
  | 'PRICE_CHANGED'
  | 'TRADE_URL_INVALID'
  | 'STEAM_ACCOUNT_RESTRICTED'
  | 'BUYER_TRADE_RESTRICTED'
  | 'OFFER_NOT_ACCEPTED'
  | 'MARKET_UNAVAILABLE'
  | 'PURCHASE_FAILED'

export interface TradeItem {
  /** A stable handle of this item in its trade. */
  id: string
  externalId?: string
  name: string | null
  marketHashName: string | null
  type: string | null
  iconUrl: string | null
  /** Fees included, in the currency of the trade. */
  price: number
  exterior?: string
  rarity?: string
  color?: string
  phase?: string
  /** The float value as text. */
  wear?: string
  paintSeed?: number
  stickers?: TradeSticker[]
  charm?: Charm
  /** standard or instant. */
  delivery?: string
  status: TradeStatus
  tradable: boolean
  /** The platform offer that carries the item; the latest one. */
  offerId?: string
  /** Set when the status is failed or declined. */
  error?: TradeFailureCode
  /** The market’s own words, for debugging only. */
  errorDetail?: string
  refund?: ItemRefund
}

export type TradeStatus =
  | 'initiated'
  | 'pending'
  | 'active'
  | 'hold'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'declined'
  | 'reverted'

export interface TradeSticker {
  name: string
  slot: number
  /** 0 is fresh; null when the market does not say. */
  wear: number | null
  iconUrl: string
}

export interface TradeSummary {
  total: number
  /** Items in hold and completed items. */
  delivered: number
  /** Items whose hold is over and that are settled. */
  completed: number
  /** Failed, declined, canceled and reverted items. */
  failed: number
}

export type TradeType = 'buy' | 'sell'

export interface TransactionHistory {
  items: TransactionItem[]
  /** The `cursor` of the next slice; null on the last one. */
  nextCursor: string | null
}

export interface TransactionItem {
  id: string
  type: TransactionType
  description: string
  status: TransactionStatus
  /** Signed: plus is a credit, minus a debit. */
  amount: number
  occurredAt: string
  externalRef: string | null
}

export type TransactionStatus = 'posted' | 'reversed'

export type TransactionType =
  | 'deposit_credit'
  | 'withdrawal_debit'
  | 'trade_payment'
  | 'trade_refund'
  | 'trade_payout'
  | 'fee_credit'
  | 'fund_in'
  | 'fund_out'
  | 'transfer_in'
  | 'transfer_out'
  | 'adjustment'

export interface WalletBalance {
  currency: Currency
  balance: number
}

export type WalletType = 'spot' | 'earnings'

export interface Withdrawal {
  id: string
  /** The merchant. */
  userId: string
  /** Your reference: one withdrawal for each. */
  externalId: string
  forUserId: string | null
  forUserExternalId: string | null
  status: WithdrawalStatus
  chain: string
  token: string
  /** The contract; 0xeeee… stands for the native coin. */
  tokenAddress: string
  destination: string
  amountCents: number
  /** The network fee, taken from custody in the same token, on top. */
  feeCents: number
  /** Base units of the token on its chain. */
  amountWei: string
  txHash: string | null
  failureReason: string | null
  callbackAttempts: number
  createdAt: string
  broadcastAt: string | null
  confirmedAt: string | null
}

export interface WithdrawalEventData {
  withdrawal: Withdrawal
}

export type WithdrawalStatus =
  | 'pending_callback'
  | 'queued'
  | 'broadcast'
  | 'confirmed'
  | 'refunded'
